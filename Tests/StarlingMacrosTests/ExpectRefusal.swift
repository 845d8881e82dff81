import StarlingMacros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Holds the one refusal in `source` to its words and place, and its fix to what it makes of the source.
func expectRefusal(
  _ source: String, _ message: String, at line: Int, _ column: Int, fix: String?, _ fixed: String? = nil,
  fileID: String = #fileID, filePath: String = #filePath, testLine: Int = #line, testColumn: Int = #column
) {
  let macros: [String: MacroSpec] = [
    "Replicated": MacroSpec(type: ReplicatedMacro.self),
    "ReplicatedFields": MacroSpec(type: ReplicatedFieldsMacro.self),
    "ReplicatedField": MacroSpec(type: ReplicatedFieldMacro.self),
    "Renamed": MacroSpec(type: MarkerMacro.self), "Local": MacroSpec(type: MarkerMacro.self),
    "ReplicatedIgnored": MacroSpec(type: MarkerMacro.self),
  ]
  // What else is expanded is not the matter here.
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "TestModule", fullFilePath: "test.swift")])
  let expanded = file.expand(
    macroSpecs: macros,
    contextGenerator: {
      BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
    },
    indentationWidth: .spaces(2))
  assertMacroExpansion(
    source, expandedSource: expanded.description,
    diagnostics: [
      DiagnosticSpec(
        message: message, line: line, column: column,
        fixIts: context.diagnostics.flatMap(\.fixIts).map { FixItSpec(message: $0.message.message) })
    ],
    macroSpecs: macros, applyFixIts: fix.map { [$0] }, fixedSource: fixed, indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: testLine, column: testColumn))
    })
}
