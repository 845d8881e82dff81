import StarlingWire

/// Keeps whose the replica ids are, away from the engine's thread: a disk takes its time.
actor WriterRecord {
  private let directory: KeyDirectory
  /// What the disk did not take, for the next time.
  private var unkept: [WriterBinding] = []

  init(_ directory: KeyDirectory) {
    self.directory = directory
  }

  /// Returns once they would survive a crash.
  func keep(_ writers: [WriterBinding]) throws {
    unkept += writers
    try directory.note(unkept)
    unkept = []
  }
}
