import StarlingMacros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros in `source` and holds the result to `expected`.
func expectExpansion(
  _ source: String, _ expected: String, _ diagnostics: [DiagnosticSpec] = [], applying fixIts: [String]? = nil,
  _ fixed: String? = nil, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column
) {
  assertMacroExpansion(
    source, expandedSource: expected, diagnostics: diagnostics,
    macroSpecs: [
      "Replicated": MacroSpec(
        type: ReplicatedMacro.self, conformances: ["ReplicatedModel", "Observable"]),
      "ReplicatedFields": MacroSpec(type: ReplicatedFieldsMacro.self, conformances: ["ReplicatedFields"]),
      "ReplicatedField": MacroSpec(type: ReplicatedFieldMacro.self),
      "Renamed": MacroSpec(type: MarkerMacro.self), "Local": MacroSpec(type: MarkerMacro.self),
      "ReplicatedIgnored": MacroSpec(type: MarkerMacro.self), "Entry": MacroSpec(type: EntryMacro.self),
    ], applyFixIts: fixIts, fixedSource: fixed, indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    })
}

/// The expansion of one property, in a class.
func expectField(
  _ property: String, _ expected: String, arguments: String = "0", fileID: String = #fileID,
  filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
  expectExpansion(
    "final class Book {\n  @ReplicatedField(\(arguments)) \(property)\n}", expected, fileID: fileID, filePath: filePath,
    line: line,
    column: column)
}

/// The expansion of a property that has accessors of the usual kind, as most have.
///
/// - Parameters:
///   - declared: What is left of the declaration.
///   - stored: The storage beside it.
///   - plain: The word that ends the names of the functions which write it; nil: those that take a coding.
///   - coding: What compares and writes its values, without that word; nil: what the compiler finds.
///   - isDefaulted: Whether an initializer finds the storage made.
///   - isAssigned: Whether an initializer may assign the property.
func expectStandardField(
  _ property: String, declared: String, stored: String, plain: String? = nil, coding: String? = nil,
  isDefaulted: Bool = true, isAssigned: Bool = false, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column
) {
  let name = stored.split(separator: " ").first { $0.hasPrefix("_") }.map { $0.prefix { $0 != ":" } } ?? ""
  let get = plain == nil ? "get" : "read"
  let coded = plain == nil ? ", StarlingModel._Replicated.\(coding ?? "coding(\(name))")" : ""
  var initializer = ""
  if !isDefaulted {
    initializer = """
      @storageRestrictions(initializes: \(name))
        init(initialValue) {
          \(name) = StarlingModel._Replicated.Field(initialValue)
        }
        \("")
      """
  } else if isAssigned {
    initializer = """
      @storageRestrictions(accesses: \(name), _$model)
        init(initialValue) {
          \(name).initialize(initialValue, _$model)
        }
        \("")
      """
  }
  expectField(
    property,
    """
    final class Book {
      \(declared) {
      \(initializer)get {
        _$model.\(get)(\(name), 0, self)
      }
      set {
        _$model.set\(plain ?? "")(\(name), 0, self, newValue\(coded))
      }
      _modify {
        var edit = _$model.edit(\(name))
        defer {
          _$model.finish\(plain ?? "")(edit, \(name), 0, self\(coded))
        }
        yield &edit.value
      }
      }

      \(stored)
    }
    """, arguments: isAssigned ? "0, isAssigned: true" : "0", fileID: fileID, filePath: filePath, line: line,
    column: column)
}
