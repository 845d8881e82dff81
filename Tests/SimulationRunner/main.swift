import Foundation
import StarlingSimulator
import StarlingSoak

// Runs simulated groups under faults; `soak --help` says how. Scripts/planted goes through what `soak --planted`
// prints.

let command: SoakCommand
do {
  command = try SoakCommand(CommandLine.arguments.dropFirst())
} catch {
  FileHandle.standardError.write(Data("\(error) See: soak --help\n".utf8))
  exit(2)
}

switch command {
case .help: print(SoakCommand.helpText)
case .listFaults: print(PlantedFault.allCases.map(\.rawValue).joined(separator: "\n"))
case .planted(let name):
  guard let fault = PlantedFault(rawValue: name) else {
    FileHandle.standardError.write(Data("There is no planted fault '\(name)'. See: soak --planted\n".utf8))
    exit(2)
  }
  exit(PlantedRow.tell(fault) ? 0 : 1)
case .hour: exit(SimulatedHour.tell() ? 0 : 1)
case .run(let options): exit(Soak(options).run() ? 0 : 1)
}
