//! x86-64.

use leanseal::asm::x86_64::aes::*;
use leanseal::asm::x86_64::aes_gcm::*;
use leanseal::asm::x86_64::aes_gcm_open::*;
use leanseal::asm::x86_64::aes_gcm_open_vaes::*;
use leanseal::asm::x86_64::aes_gcm_seal::*;
use leanseal::asm::x86_64::aes_gcm_seal_gather::*;
use leanseal::asm::x86_64::aes_gcm_seal_vaes::*;
use leanseal::asm::x86_64::aes_gcm_stream::*;
use leanseal::asm::x86_64::aes_gcm_stream_decrypt::*;
use leanseal::asm::x86_64::aes_gcm_stream_encrypt::*;
use leanseal::asm::x86_64::gather::*;
use leanseal::asm::x86_64::ghash::*;

use super::{
    Ctr32, EncryptBlock, GatherCopy, GhashBlocks, Init, Kernel, Open, Prepare16, Seal, SealGather,
    StreamFinish, StreamInit, StreamPiece, StreamVerify, kernel,
};

pub const GATHER_COPY: &[Kernel<GatherCopy>] = &[
    kernel!(vg_gather_copy, VG_GATHER_COPY_FEATURES),
    kernel!(vg_gather_copy_avx, VG_GATHER_COPY_AVX_FEATURES),
];
pub const INIT: &[Kernel<Init>] = &[kernel!(vg_aes_gcm_init, VG_AES_GCM_INIT_FEATURES)];
pub const PREPARE16: &[Kernel<Prepare16>] = &[
    kernel!(
        vg_aes_gcm_prepare16_pclmul_avx,
        VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES
    ),
    kernel!(
        vg_aes_gcm_prepare16_vpclmul,
        VG_AES_GCM_PREPARE16_VPCLMUL_FEATURES
    ),
];
pub const ENCRYPT_BLOCK: &[Kernel<EncryptBlock>] = &[kernel!(
    vg_aes_encrypt_block_aesni,
    VG_AES_ENCRYPT_BLOCK_AESNI_FEATURES
)];
pub const CTR32: &[Kernel<Ctr32>] = &[kernel!(vg_aes_ctr32_aesni, VG_AES_CTR32_AESNI_FEATURES)];
pub const GHASH_BLOCKS: &[Kernel<GhashBlocks>] = &[kernel!(
    vg_ghash_blocks_pclmul_avx,
    VG_GHASH_BLOCKS_PCLMUL_AVX_FEATURES
)];
pub const SEAL: &[Kernel<Seal>] = &[
    kernel!(vg_aes_gcm_seal_aesni, VG_AES_GCM_SEAL_AESNI_FEATURES),
    kernel!(vg_aes_gcm_seal_vaes, VG_AES_GCM_SEAL_VAES_FEATURES),
];
pub const SEAL_GATHER: &[Kernel<SealGather>] = &[kernel!(
    vg_aes_gcm_seal_gather_aesni,
    VG_AES_GCM_SEAL_GATHER_AESNI_FEATURES
)];
pub const OPEN: &[Kernel<Open>] = &[
    kernel!(vg_aes_gcm_open_aesni, VG_AES_GCM_OPEN_AESNI_FEATURES),
    kernel!(vg_aes_gcm_open_vaes, VG_AES_GCM_OPEN_VAES_FEATURES),
];
pub const STREAM_INIT: &[Kernel<StreamInit>] = &[kernel!(
    vg_aes_gcm_stream_init_aesni,
    VG_AES_GCM_STREAM_INIT_AESNI_FEATURES
)];
pub const STREAM_ENCRYPT: &[Kernel<StreamPiece>] = &[kernel!(
    vg_aes_gcm_stream_encrypt_aesni,
    VG_AES_GCM_STREAM_ENCRYPT_AESNI_FEATURES
)];
pub const STREAM_DECRYPT: &[Kernel<StreamPiece>] = &[kernel!(
    vg_aes_gcm_stream_decrypt_aesni,
    VG_AES_GCM_STREAM_DECRYPT_AESNI_FEATURES
)];
pub const STREAM_FINISH: &[Kernel<StreamFinish>] = &[kernel!(
    vg_aes_gcm_stream_finish_aesni,
    VG_AES_GCM_STREAM_FINISH_AESNI_FEATURES
)];
pub const STREAM_VERIFY: &[Kernel<StreamVerify>] = &[kernel!(
    vg_aes_gcm_stream_verify_aesni,
    VG_AES_GCM_STREAM_VERIFY_AESNI_FEATURES
)];
