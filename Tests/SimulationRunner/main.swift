import Foundation
import StarlingSimulator

// soak [--minutes N | --schedules N] [--seed N] [--jobs N] [--first] [--failures FOLDER]: runs one schedule after another on
// every core, or on so many, prints each minute what was done and what went wrong, and ends with 1 if anything was violated;
// with --first at once.
// soak --planted [FAULT]: prints how soon the fault is found, or the names of all; Scripts/planted goes through them.

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "--planted" {
  guard let name = arguments.dropFirst().first else {
    print(PlantedFault.allCases.map(\.rawValue).joined(separator: "\n"))
    exit(0)
  }
  guard let fault = PlantedFault(rawValue: name) else {
    print("There is no planted fault '\(name)'. See: soak --planted")
    exit(2)
  }
  exit(PlantedRow.tell(fault) ? 0 : 1)
}
exit(Soak(arguments).run() ? 0 : 1)
