package import StarlingCore
import StarlingEngine

// A store that moves to another place, or comes from one.
//
//   goes    open and locked ── copied, compared ──► "moving" ──► [it is there] ──► "moved", and the database put aside
//   comes   DIRECTORY.moving ── copied, compared ──► [it is here] ──► DIRECTORY
extension SQLiteLog {
  /// A store for those who move it.
  ///
  /// - Parameter store: its name, where there is none in the directory yet.
  package init(moving directory: String, store: StoreID? = nil) {
    self.init(directory: directory, machine: CleanShutdownMarker.machineID(), store: store, isMoving: true)
  }

  /// - Throws: `LogError(.misuse)` where the store is, or may be, at another place.
  static func checkIsHere(_ paths: LogPaths, isMoving: Bool) throws {
    do {
      if let place = try paths.disk.read(paths.moved) {
        throw LogError(
          .misuse,
          "The store in '\(paths.directory)' moved to \(place). Open it there. What is left here may be removed.")
      }
      if !isMoving, let place = try paths.disk.read(paths.moving) {
        throw LogError(
          .misuse,
          "A move of the store in '\(paths.directory)' to \(place) was broken off. Run starling store move again.")
      }
    } catch {
      throw LogError(error, at: paths.directory, while: "looking where the store is")
    }
  }

  /// Where a move of the store in `directory` was broken off; nil for none.
  ///
  /// - Throws: `LogError(.misuse)` where the store is at another place.
  package static func move(of directory: String) throws -> String? {
    let paths = LogPaths(directory: directory)
    try checkIsHere(paths, isMoving: true)
    return try paths.disk.read(paths.moving)
  }

  /// Opens from now on only for those who move it: from here on the store may be at `place`.
  package func beginMove(to place: String) throws {
    do { try paths.disk.replace(paths.moving, with: place) } catch {
      throw LogError(error, at: paths.moving, while: "noting a move")
    }
  }

  /// The store, which is closed, is at another place: nothing here is opened any more, by whichever version.
  package func endMove() throws {
    do {
      let place = try paths.disk.read(paths.moving) ?? "another place"
      try paths.disk.replace(paths.moved, with: place)
      try paths.disk.remove(paths.cleanShutdownMarker)
      if try paths.disk.identity(of: paths.database) != nil {
        try paths.disk.move(paths.database, to: paths.database + ".moved")
      }
      try paths.disk.remove(paths.moving)
    } catch {
      throw LogError(error, at: paths.directory, while: "releasing a store that moved")
    }
  }

  /// Where a store is made that comes to `directory`.
  package static func arrivalPlace(of directory: String) -> String { directory + ".moving" }

  /// Removes what a move to `directory` left that was broken off.
  ///
  /// - Throws: `LogError(.misuse)` where something is in `directory`.
  package static func prepareArrival(at directory: String) throws {
    do {
      guard try SystemDisk().isEmpty(directory) else {
        throw LogError(.misuse, "'\(directory)' is not empty. Name a new directory, or move it away.")
      }
      try SystemDisk().removeFiles(in: arrivalPlace(of: directory))
    } catch {
      throw LogError(error, at: directory, while: "making it ready for a store")
    }
  }

  /// The store that was made for `directory` is there from now on.
  package static func arrive(at directory: String) throws {
    do {
      try SystemDisk().removeEmptyDirectory(directory)
      try SystemDisk().move(arrivalPlace(of: directory), to: directory)
    } catch {
      throw LogError(error, at: directory, while: "putting the store into its place")
    }
  }
}
