import Lake
open Lake DSL

package leanseal where
  leanOptions := #[⟨`warningAsError, true⟩]

/-- Everything that `cargo verify` checks: a module's name is its path. -/
@[default_target]
lean_lib Leanseal where
  roots := #[`TCB, `Spec, `Impl, `Proof, `Artifacts, `emitter]
  globs := #[.submodules `TCB, .submodules `Spec, .submodules `Impl, .submodules `Proof, .submodules `Artifacts, .submodules `emitter]
