import emitter.Examples.Text
import TCB.X86_64.Parse
import TCB.X86_64.Print

/-!
# What the reader of x86-64 text accepts, and what it refuses
-/

set_option autoImplicit false
namespace Emitter.Examples.X86_64
open TCB TCB.X86_64

/-- One instruction of every shape. -/
def instructions : List Instr := [
  .alu .add .rax (.reg .r15), .alu .sub .rsp (.imm 0x80000000), .alu .cmp .r9 (.imm 0x7fffffff), .alu .test .rdi (.imm (-1)),
  .clear .rbp, .clear .r12, .load .byte .rsi { base := .r8 }, .load .dword .r10 { base := .rsp, disp := -1 },
  .load .qword .rbx { base := .rdi, index := some .rax }, .store .byte { base := .rdx, index := some .r9, disp := -16 } .rdi,
  .store .byte { base := .rdx } .r11, .store .dword { base := .rbp, index := some .rbp, disp := 4 } .rcx,
  .store .qword { base := .r13, disp := 0x80000000 } .r14, .movdquLoad 15 { base := .r8, disp := 48 },
  .movdquStore { base := .rdx } 0, .pxor 9 10, .vmovdquLoad .xmm 1 { base := .rax }, .vmovdquLoad .ymm 14 { base := .rsi, disp := 32 },
  .vmovdquStore .xmm { base := .rdx, disp := -16 } 2, .vmovdquStore .ymm { base := .rdi, index := some .rcx } 15,  .leaTable .r9, .vzeroupper,
  .alu .and .rax (.reg .rcx), .alu .or .r8 (.imm 15), .alu .xor .rbx (.reg .rbx), .mov .rax .r15, .movImm .r9 0, .movImm .rcx 0xffffffff,
  .movImm .rcx 0x100000000, .movImm .r12 0xffffffffffffffff, .lea .rdi { base := .rsi, index := some .r8, disp := -1 }, .bswap .r10,
  .shift .shl .rax 63, .shift .shr .r11 0, .vecBin .pxor .xmm 1 2 (.reg 3), .vecBin .aesenc .ymm 0 15 (.mem { base := .rdi, disp := 16 }),
  .vecBin .aesenclast .xmm 3 3 (.mem { base := .rdi }), .vecBin (.pclmulqdq false true) .xmm 4 5 (.reg 6),
  .vecBin (.pclmulqdq true true) .ymm 4 5 (.mem { base := .rsp }), .vecBin (.palignr 255) .xmm 7 8 (.reg 9), .vecUn (.pslldq 8) .ymm 1 2,
  .vecUn (.pshufd 27) .xmm 10 11, .vecUn (.psrad 31) .xmm 0 0, .vmovdqa .xmm 1 2, .vmovdqa .ymm 3 14,
  .vbroadcasti128 2 { base := .rdx }, .vinserti128 1 2 (.reg 3) true, .vinserti128 1 2 (.mem { base := .rcx }) false, .vextracti128 5 6 true,
  .vmovqFrom 9 .rax, .vmovqTo .r13 8, .vpinsrq 1 2 .rdx true]

#guard instructions.all fun i => readsTemplate parser (Printer.template i.text) == some i
#guard reads parser "lea r9, [rip + {table}]" == some (.leaTable .r9)

-- operands of the wrong size, kind or number
#guard ["mov rax, dword ptr [rdi]", "mov eax, qword ptr [rdi]", "movzx rax, byte ptr [rdi]", "movzx eax, dword ptr [rdi]",
  "mov al, byte ptr [rdi]", "mov byte ptr [rdi], rax", "mov dword ptr [rdi], al", "movdqu xmm0, qword ptr [rdi]",
  "movdqu xmm16, xmmword ptr [rdi]", "movdqu rax, xmmword ptr [rdi]", "pxor xmm0, xmmword ptr [rdi]", "pxor xmm0",
  "xor eax, ecx", "xor rax, eax", "add eax, ecx", "add rax, rcx, rdx", "add rax", "add 1, rax", "add rax, qword ptr [rdi]",
  "mov eax, ecx", "mov [rdi], rax", "mov rax, [rdi]", "vmovdqu ymm0, xmmword ptr [rdi]", "vmovdqu ymmword ptr [rdi], xmm0", "vpxor ymm0, ymm1, xmm2",
  "vpxor xmm0, ymm1, xmm2", "vpxor ymm0, ymm1, xmmword ptr [rdi]", "vpxor xmm0, xmmword ptr [rdi], xmm1",
  "vpclmulqdq xmm0, xmm1, xmm2", "vpclmulqdq xmm0, xmm1, xmm2, 2", "vpclmulqdq xmm0, xmm1, xmm2, 256", "vaesenc xmm0, xmm1, xmm2, 0",
  "vpslldq xmm0, xmm1", "vpslldq xmm0, ymm1, 8", "vpslldq xmm0, xmm1, 256", "vpslldq xmm0, xmm1, -1", "vpshufd xmm0, xmmword ptr [rdi], 1",
  "vinserti128 ymm0, ymm1, ymm2, 1", "vinserti128 ymm0, ymm1, xmm2, 2", "vextracti128 ymm0, ymm1, 1", "vbroadcasti128 ymm0, xmm1",
  "vmovq xmm0, xmm1", "vmovq xmm0, eax", "vpinsrq xmm0, xmm1, eax, 0", "vmovdqa xmm0, xmmword ptr [rdi]", "vmovdqa xmm0, ymm1",
  "shl rax, 64", "shl rax, cl", "shl rax, -1", "bswap eax", "lea rax, qword ptr [rdi]", "lea eax, [rdi]", "mov rax, 0", "mov eax, 4294967296",
  "mov rax, 18446744073709551616", "mov eax, -1",
  "vpxor xmm0, xmm1", "pxor ymm0, ymm1", "movdqu ymm0, ymmword ptr [rdi]", "vzeroupper ymm0", "add"].all (reads parser · == none)

-- addresses and numbers that are not printed so
#guard ["mov rax, qword ptr [edi]", "mov rax, qword ptr [rdi + rsp]", "mov rax, qword ptr [rdi + rax * 2]",
  "mov rax, qword ptr [rdi + rax + rcx]", "mov rax, qword ptr [rdi + 8 + rax]", "mov rax, qword ptr [8]",
  "mov rax, qword ptr [rdi - rax]", "mov rax, qword ptr [rdi + -8]", "mov rax, qword ptr fs:[rdi]",
  "mov rax, qword ptr [rdi", "mov rax, qword ptr [rdi]]", "mov rax, qword [rdi]", "mov rax, qword ptr [rdi + 2147483648]",
  "mov rax, qword ptr [rdi - 2147483649]", "add rax, 2147483648", "add rax, -2147483649", "add rax, 08", "add rax, 0x8",
  "add rax, 1_0", "add rax, +8", "add rax, --8", "add rax, $8"].all (reads parser · == none)

-- the table, named otherwise or with something added
#guard ["lea eax, [rip + {table}]", "lea rax, [rip + table]", "lea rax, [rip + vg_table]", "lea rax, [rip + {{table}}]",
  "lea rax, [rip + {table} + 1]", "lea rax, [rip + {tables}]", "lea rax, [rdi + {table}]", "lea rax, [rip - {table}]",
  "lea rax, [{table}]", "lea rax, qword ptr [rip + {table}]", "mov rax, [rip + {table}]", "lea rax, [rip + {table}"].all
  (reads parser · == none)

-- what is more than one instruction, or none that is known
#guard ["", "nop", "ret", "ADD rax, rcx", "add RAX, rcx", "lock add rax, rcx", "add rax, rcx; nop", "add rax, rcx # nop",
  "add rax, rcx\", \"nop", "add rax, rcx\\nnop", "add rax, {{rcx}}", ".byte 144", "call rax", "jmp rax"].all (reads parser · == none)

#guard code parser ["je 20f", "21:", "jmp 21b", "20:", "ret"] == some [.jcc .e 0, .label 1, .jmp 1, .label 0]

-- labels: on the other side, twice, missing, named otherwise; no return, or code after it that is not read
#guard [["je 20b", "20:", "ret"], ["20:", "je 20f", "ret"], ["20:", "20:", "ret"], ["jmp 20f", "20:", "20:", "ret"],
  ["20:", "jmp 20b", "20:", "ret"], ["jmp 20f", "ret"], ["jmp 20b", "ret"], ["jmp 20f", "ret", "20:"], ["10:", "ret"], ["2:", "ret"],
  ["200:", "jmp 20b", "ret"], ["2 0:", "jmp 20 b", "ret"], ["20:", "jmp 20", "ret"], ["20:", "jo 20b", "ret"], ["je 21474836500f", "21474836500:", "ret"], ["20:"], []].all
  (code parser · == none)

end Emitter.Examples.X86_64
