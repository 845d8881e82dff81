import Foundation
import StarlingSimulator

// soak [--minutes N | --schedules N] [--seed N]: runs one schedule after another, prints each minute what was done and what
// went wrong, and ends with 1 if anything was violated.

var soak = Soak(CommandLine.arguments.dropFirst())
exit(soak.run() ? 0 : 1)
