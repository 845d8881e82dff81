import StarlingSimulatedDisk

/// What a program gets wrong that keeps a log with less care.
package enum PlantedStoreFault: String, CaseIterable, Sendable {
  case databaseNotSynced
  case writeAheadLogNotSynced
  case renamedBeforeSync
  case directoryNotSynced
  case acknowledgedBeforeWritten

  var onDisk: PlantedDiskFault? { PlantedDiskFault(rawValue: rawValue) }
}
