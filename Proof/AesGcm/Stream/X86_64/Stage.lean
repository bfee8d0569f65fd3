import Proof.AesGcm.Stream.Contract
import Proof.AesGcm.Stream.X86_64.Common

/-!
# A piece of a message on x86-64: what stays throughout
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- Only the data and the state may have changed. -/
def Outside (k : Call) (m : Mem) : Prop := ∀ x, ¬ (Region.mk (k.value 3) (k.value 4).toNat).Contains x →
  ¬ (Region.mk (k.value 1) 80).Contains x → m x = k.memory.bytes x

/-- What the kernel has on entry: the requirements of the contract, and its table apart from the data and the state. -/
structure Given (k : Call) (tab : Addr) (pub : List Region) : Prop where
  pre : Pre k
  based : Based k tab
  dataTab : (Region.mk (k.value 3) (k.value 4).toNat).Disjoint ⟨tab, 128⟩
  stateTab : (Region.mk (k.value 1) 80).Disjoint ⟨tab, 128⟩
  isPublic : Within pub ⟨k.args, 8 * 5⟩

section
variable {k : Call} {tab : Addr} {pub : List Region} {m m' : Mem} {s₀ s s' : State}

/-- What is apart from both is as it was. -/
theorem Outside.bytesAt_eq (h : Outside k m) {a : Addr} {n : Nat} (hn : n ≤ 2 ^ 64)
    (hd : (Region.mk (k.value 3) (k.value 4).toNat).Disjoint ⟨a, n⟩) (hs : (Region.mk (k.value 1) 80).Disjoint ⟨a, n⟩) :
    bytesAt m a n = bytesAt k.memory.bytes a n := by
  refine bytesAt_congr fun i hi => ?_
  have inside : (Region.mk a n).Contains (a + BitVec.ofNat 64 i) := by
    show offset a _ < n
    rw [offset_add _ (by omega)]
    exact hi
  exact h _ (fun c => hd _ ⟨c, inside⟩) fun c => hs _ ⟨c, inside⟩

/-- The state of the machine when memory holds `m`: everything but the counter, the hash and what is processed. -/
structure Stage (k : Call) (tab : Addr) (pub : List Region) (s₀ : State) (m : Mem) (s : State) : Prop where
  keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s₀ s
  memory : s.memory = k.memory.set m
  outside : Outside k m
  env : Env (fixedOf k tab) s
  arguments : Arguments k 5 pub s
  constants : Constants s

/-- A step. -/
theorem Stage.next (h : Stage k tab pub s₀ m s) (g : Given k tab pub) {rs : List Reg} {vs : List Nat} (f : Frame rs vs s s')
    (memory : s'.memory = k.memory.set m') (outside : Outside k m')
    (hr : (rs.all fun r => r ∈ [Reg.rax, .rcx, .r8, .r11, .rdi]) = true := by decide) (h9 : 9 ∈ vs := by decide)
    (h10 : 10 ∈ vs := by decide) : Stage k tab pub s₀ m' s' := by
  have f' : Frame [.rax, .rcx, .r8, .r11, .rdi] vs s s' :=
    f.mono (fun r hm => by simpa using List.all_eq_true.1 hr r hm) fun _ h => h
  have p := g.pre
  refine ⟨h.keeps.trans (f'.keeps.mono (by decide)), memory, outside, ?_, ?_, h.constants.of_frame f h9 h10⟩
  · refine h.env.set (b := m') f'.keeps (by decide) (by rw [memory, h.memory]; rfl) ?_
    exact g.based.holds.congr p.rounds (outside.bytesAt_eq (by decide) p.dataCtx p.stateCtx)
      (outside.bytesAt_eq (by decide) g.dataTab g.stateTab)
  · refine ⟨(f'.gpr .rdx).trans h.arguments.place, by decide, by rw [memory]; exact p.readsArgs, g.isPublic, fun i hi => ?_⟩
    have same := outside.bytesAt_eq (a := k.args) (n := 40) (by decide) p.dataArgs p.stateArgs
    rw [memory, Memory.bytes_set, word64, bytesAt_part (n := 40) _ _ (by omega), same, ← bytesAt_part _ _ (by omega)]
    rfl

/-- A step that changes no memory. -/
theorem Stage.same (h : Stage k tab pub s₀ m s) (g : Given k tab pub) {rs : List Reg} {vs : List Nat} (f : Frame rs vs s s')
    (memory : s'.memory = s.memory) (hr : (rs.all fun r => r ∈ [Reg.rax, .rcx, .r8, .r11, .rdi]) = true := by decide)
    (h9 : 9 ∈ vs := by decide) (h10 : 10 ∈ vs := by decide) : Stage k tab pub s₀ m s' :=
  h.next g f (memory.trans h.memory) h.outside hr h9 h10

/-! ## Steps -/

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {Q : State → Prop} {is : List Instr} {d : Reg} {x : Src}

theorem add_ok (h : ∀ s', Frame [d] (List.range 16) s s' → s'.memory = s.memory → s'.gpr d = s.gpr d + s.src x →
    isa.Wp pub (.block is) Q s') : isa.Wp pub (.block (.alu .add d x :: is)) Q s :=
  .cons (s₁ := (s.setReg d (s.gpr d + s.src x)).setFlags (addFlags (s.gpr d) (s.src x))) rfl
    (h _ (.of_vec (Keeps.setFlags ((Keeps.refl _ s).setReg (.head _))) (by reads)) (by reads) (by rw [gpr_setFlags, gpr_setReg, if_pos rfl]))

theorem sub_ok (h : ∀ s', Frame [d] (List.range 16) s s' → s'.memory = s.memory → s'.gpr d = s.gpr d - s.src x →
    isa.Wp pub (.block is) Q s') : isa.Wp pub (.block (.alu .sub d x :: is)) Q s :=
  .cons (s₁ := (s.setReg d (s.gpr d - s.src x)).setFlags (subFlags (s.gpr d) (s.src x))) rfl
    (h _ (.of_vec (Keeps.setFlags ((Keeps.refl _ s).setReg (.head _))) (by reads)) (by reads) (by rw [gpr_setFlags, gpr_setReg, if_pos rfl]))

theorem mov_ok {r : Reg} (h : ∀ s', Frame [d] (List.range 16) s s' → s'.memory = s.memory → s'.gpr d = s.gpr r →
    isa.Wp pub (.block is) Q s') : isa.Wp pub (.block (.mov d r :: is)) Q s :=
  .cons (s₁ := s.setReg d (s.gpr r)) rfl
    (h _ (.of_vec ((Keeps.refl _ s).setReg (.head _)) (by reads)) (by reads) (by rw [gpr_setReg, if_pos rfl]))

theorem movImm_ok {v : BitVec 64} (h : ∀ s', Frame [d] (List.range 16) s s' → s'.memory = s.memory → s'.gpr d = v →
    isa.Wp pub (.block is) Q s') : isa.Wp pub (.block (.movImm d v :: is)) Q s :=
  .cons (s₁ := s.setReg d v) rfl
    (h _ (.of_vec ((Keeps.refl _ s).setReg (.head _)) (by reads)) (by reads) (by rw [gpr_setReg, if_pos rfl]))

theorem cmp_ok {r : Reg} {a b : Nat} (ha : a < 2 ^ 64) (hb : b < 2 ^ 64) (hd : s.gpr d = BitVec.ofNat 64 a)
    (hr : s.gpr r = BitVec.ofNat 64 b) (h : ∀ s', Frame [] (List.range 16) s s' → s'.memory = s.memory →
    s'.flag .cf = some (decide (a < b)) → isa.Wp pub (.block is) Q s') : isa.Wp pub (.block (.alu .cmp d (.reg r) :: is)) Q s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr d) (s.src (.reg r)))) rfl
    (h _ (.of_vec (Keeps.setFlags (Keeps.refl _ s)) (by reads)) (by reads) ?_)
  reads
  simp only [State.src, hd, hr, subFlags]
  congr 1
  rw [Bool.eq_iff_iff, BitVec.ult_iff_lt, BitVec.lt_def, BitVec.toNat_ofNat, BitVec.toNat_ofNat, decide_eq_true_eq]
  omega

/-- Two numbers. -/
theorem ofNat_sub {a b : Nat} (h : b ≤ a) : BitVec.ofNat 64 a - BitVec.ofNat 64 b = BitVec.ofNat 64 (a - b) := by
  rw [show a = a - b + b by omega, BitVec.ofNat_add, BitVec.add_sub_cancel, Nat.add_sub_cancel]

end

/-! ## The counter and the hash -/

/-- The state at `rdi`. -/
def loadLayout : Layout := { areas := [{ len := 80 }], ptrs := [(7, 0, 0)] }

/-- The counter and the hash. -/
def loadOutcome : Outcome VecUn VecBin := { vec := [(8, [.load 0 16]), (11, [.load 0 32]), keepE 9, keepE 10] }

/-- The counter and the hash are loaded. -/
theorem load_ok {p : Addr} {pub : List Region} {s : State} (hp : s.gpr .rdi = p) (reads : Within s.memory.readable ⟨p, 80⟩) :
    isa.Wp pub (.block Impl.AesGcm.Stream.X86_64.load) (fun s' => Frame [] [9, 10] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 8 0 = Spec.AesGcm.Context.word s.memory.bytes p 16 ∧
      view.lane s' 11 0 = Spec.AesGcm.Context.word s.memory.bytes p 32) s := by
  have holds : loadLayout.Holds view (fun _ => p) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => reads, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  exact machine.wp loadOutcome holds (by decide +kernel) fun s' o =>
    ⟨.of_ends o (by decide +kernel), o.memory, o.vec (r := 8) rfl 0, o.vec (r := 11) rfl 0⟩

/-- The state at `rdi`, which is written. -/
def saveLayout : Layout := { areas := [{ len := 80, reads := false, writes := true }], ptrs := [(7, 0, 0)] }

/-- Where the layout says. -/
theorem saveLayout_holds {p : Addr} {s : State} (hp : s.gpr .rdi = p) (writes : Within s.memory.writable ⟨p, 80⟩) :
    saveLayout.Holds view (fun _ => p) s where
  ptrs q hq := by
    obtain rfl := List.mem_singleton.1 hq
    exact hp.trans (BitVec.add_zero _).symm
  small := ⟨by decide, trivial⟩
  reads := ⟨nofun, trivial⟩
  writes := ⟨fun _ => writes, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- The counter and the hash. -/
def saveOutcome : Outcome VecUn VecBin := { mem := [(0, 16, [.reg 8 0, .reg 11 0])] }

/-- The counter and the hash are written. -/
theorem save_ok {p : Addr} {pub : List Region} {s : State} (hp : s.gpr .rdi = p) (writes : Within s.memory.writable ⟨p, 80⟩) :
    isa.Wp pub (.block Impl.AesGcm.Stream.X86_64.save) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory.set (writeBytes s.memory.bytes
      (p + BitVec.ofNat 64 16) (laneBytes [view.lane s 8 0, view.lane s 11 0]))) s :=
  machine.wp saveOutcome (saveLayout_holds hp writes) (by decide +kernel) fun _ o => ⟨Aes.X86_64.keeps_of_ends o [] rfl, o.memory⟩

end Proof.AesGcm.Stream.X86_64
