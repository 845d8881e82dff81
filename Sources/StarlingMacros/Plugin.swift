import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StarlingPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ReplicatedMacro.self, ReplicatedFieldMacro.self, ReplicatedFieldsMacro.self, MarkerMacro.self,
    EntryMacro.self, PreviewMacro.self,
  ]
}
