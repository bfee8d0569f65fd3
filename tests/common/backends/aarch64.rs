//! AArch64.

use leanseal::asm::aarch64::aes::*;
use leanseal::asm::aarch64::aes_gcm::*;
use leanseal::asm::aarch64::aes_gcm_open::*;
use leanseal::asm::aarch64::aes_gcm_seal::*;
use leanseal::asm::aarch64::gather::*;
use leanseal::asm::aarch64::ghash::*;

use super::{
    Ctr32, EncryptBlock, GatherCopy, GhashBlocks, Init, Kernel, Open, Prepare16, Seal, SealGather,
    StreamFinish, StreamInit, StreamPiece, StreamVerify, kernel,
};

pub const GATHER_COPY: &[Kernel<GatherCopy>] = &[kernel!(vg_gather_copy, VG_GATHER_COPY_FEATURES)];
pub const INIT: &[Kernel<Init>] = &[kernel!(vg_aes_gcm_init, VG_AES_GCM_INIT_FEATURES)];
pub const PREPARE16: &[Kernel<Prepare16>] =
    &[kernel!(vg_aes_gcm_prepare16, VG_AES_GCM_PREPARE16_FEATURES)];
pub const ENCRYPT_BLOCK: &[Kernel<EncryptBlock>] =
    &[kernel!(vg_aes_encrypt_block, VG_AES_ENCRYPT_BLOCK_FEATURES)];
pub const CTR32: &[Kernel<Ctr32>] = &[kernel!(vg_aes_ctr32, VG_AES_CTR32_FEATURES)];
pub const GHASH_BLOCKS: &[Kernel<GhashBlocks>] =
    &[kernel!(vg_ghash_blocks, VG_GHASH_BLOCKS_FEATURES)];
pub const SEAL: &[Kernel<Seal>] = &[kernel!(vg_aes_gcm_seal, VG_AES_GCM_SEAL_FEATURES)];
pub const SEAL_GATHER: &[Kernel<SealGather>] = &[];
pub const OPEN: &[Kernel<Open>] = &[kernel!(vg_aes_gcm_open, VG_AES_GCM_OPEN_FEATURES)];
pub const STREAM_INIT: &[Kernel<StreamInit>] = &[];
pub const STREAM_ENCRYPT: &[Kernel<StreamPiece>] = &[];
pub const STREAM_DECRYPT: &[Kernel<StreamPiece>] = &[];
pub const STREAM_FINISH: &[Kernel<StreamFinish>] = &[];
pub const STREAM_VERIFY: &[Kernel<StreamVerify>] = &[];
