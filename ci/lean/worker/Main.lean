import LeanWorker

unsafe def main : IO Unit := LeanWorker.main
