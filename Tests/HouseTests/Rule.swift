import Testing

/// Something agreed on twice, which the house now checks for itself.
struct Rule: Sendable, CustomTestStringConvertible {
  /// Completes "in this house ...".
  let promise: String
  let check: @Sendable (House) -> [Finding]

  init(_ promise: String, check: @escaping @Sendable (House) -> [Finding]) {
    self.promise = promise
    self.check = check
  }

  var testDescription: String { promise }

  static let all: [Rule] = [
    .modulesAreInOrder, .importsAreDeclared, .programsAreNotImported, .forbiddenImportsStayOut,
    .targetsUseTheHouseSettings, .foldersAreTargets, .foldersShowThePlan, .fuzzerNamesItsModules,
    .traitsAreOptional,
    .decidersDecide, .oneKindOfLock, .closuresAreGuardedInStructs, .uncheckedIsProven, .testsDoNotSleep,
    .waitsAreBounded,
    .nothingIsLeftForLater, .testsRun,
    .yieldsAreSmall, .exportsStandAlone, .citationsHold, .faultsAreTested, .publicSymbolsAreDocumented, .samplesCompile,
    .wordsAreThoseOfTheGlossary,
    .nobodysMachine, .filesStayReadable,
    .vectorsAreRead, .versionsAgree,
    .systemsAreEqual, .guestsStandOnNoDesktop, .viewsOwnTheirState, .guestsShareNoName, .expansionsKeepToTheirName,
    .withoutEffectIsListed,
  ]
}

/// One place where a rule is broken.
struct Finding: Hashable, CustomStringConvertible {
  var path: String
  var line: Int
  var what: String
  var remedy: String

  var description: String { "\(path):\(line): \(what). \(remedy)." }
}
