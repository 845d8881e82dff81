package import StarlingSQLite

/// A simulated disk as one process has it. What is left of a process that was killed, such as a log that nobody
/// closed, reaches the disk no more.
package struct SimulatedProcess: StoreDisk {
  private let disk: SimulatedDisk
  private let generation: Int

  fileprivate init(on disk: SimulatedDisk) {
    self.disk = disk
    generation = disk.generation
  }

  package var vfs: String? { SimulatedVFS.name }

  package func open(_ path: String, _ use: FileUse) throws(SystemError) -> any StoreFile {
    try livingDisk(path).open(path, use)
  }

  package func identity(of path: String) throws(SystemError) -> FileIdentity? {
    try livingDisk(path).identity(of: path)
  }

  package func isDirectory(_ path: String) -> Bool { disk.isDirectory(path) }

  package func names(in path: String) throws(SystemError) -> [String] { try livingDisk(path).names(in: path) }

  package func makeDirectory(at path: String) throws(SystemError) -> Bool {
    try livingDisk(path).makeDirectory(at: path)
  }

  package func rename(_ path: String, to target: String) throws(SystemError) {
    try livingDisk(path).rename(path, to: target)
  }

  package func unlink(_ path: String) throws(SystemError) -> Bool { try livingDisk(path).unlink(path) }

  package func removeDirectory(at path: String) throws(SystemError) -> Bool {
    try livingDisk(path).removeDirectory(at: path)
  }

  private func livingDisk(_ path: String) throws(SystemError) -> SimulatedDisk {
    try disk.check(generation, path)
    return disk
  }
}

extension SimulatedDisk {
  /// For a process that begins now.
  package func process() -> SimulatedProcess { SimulatedProcess(on: self) }
}
