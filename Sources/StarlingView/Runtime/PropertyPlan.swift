@_spi(Reflection) import Swift

/// A property wrapper that views can have, which is brought up to date before their body runs.
///
/// A wrapper of one's own is built from others (`State`, `Environment` …); they are installed first, then
/// `update()` is called.
public protocol DynamicProperty {
  /// Called before each run of the view's body, after the wrappers inside this one are up to date.
  mutating func update()
}

extension DynamicProperty {
  /// Does nothing.
  public mutating func update() {}
}

/// A dynamic property that keeps something at the node of its view.
protocol InstalledProperty: DynamicProperty {
  /// - Parameter slot: Where in the node it keeps what it keeps.
  @MainActor mutating func install(in node: Node, slot: Int)

  /// Says what is likely a mistake, of a property whose view is made again: `old` is what it was.
  @MainActor func warn(after old: Self, named name: String, in node: Node, slot: Int)
}

extension InstalledProperty {
  @MainActor func warn(after old: Self, named name: String, in node: Node, slot: Int) {}
}

/// A view that has dynamic properties inside something that is itself none: a modifier, an app.
package protocol PropertyHolder {
  static func holds(_ type: Any.Type) -> Bool
}

/// The dynamic properties of a type, found once: where each lies in a value.
@MainActor final class PropertyPlan {
  private struct Property {
    let name: String
    let offset: Int
    let type: any DynamicProperty.Type
  }

  /// The innermost first.
  private let properties: [Property]

  private init(_ properties: [Property]) {
    self.properties = properties
  }

  private static var plans: [ObjectIdentifier: PropertyPlan?] = [:]

  /// - Returns: Nil where the type has none.
  static func of(_ type: Any.Type) -> PropertyPlan? {
    if let known = plans[ObjectIdentifier(type)] { return known }
    var properties: [Property] = []
    find(in: type, at: 0, into: &properties)
    let plan = properties.isEmpty ? nil : PropertyPlan(properties)
    plans[ObjectIdentifier(type)] = plan
    return plan
  }

  private static func find(in type: Any.Type, at base: Int, into found: inout [Property]) {
    _ = _forEachField(of: type) { name, offset, fieldType, _ in
      if let property = fieldType as? any DynamicProperty.Type {
        if !(property is any InstalledProperty.Type) { find(in: property, at: base + offset, into: &found) }
        found.append(Property(name: String(cString: name), offset: base + offset, type: property))
      } else if let holder = type as? any PropertyHolder.Type, holder.holds(fieldType) {
        find(in: fieldType, at: base + offset, into: &found)
      }
      return true
    }
  }

  /// Prepares a view for the run of its body.
  func install<Content>(_ view: inout Content, in node: Node) {
    withUnsafeMutableBytes(of: &view) { bytes in
      for property in properties {
        install(property.type, at: bytes.baseAddress! + property.offset, in: node, slot: property.offset)
      }
    }
  }

  private func install<Kind: DynamicProperty>(
    _ type: Kind.Type, at address: UnsafeMutableRawPointer, in node: Node, slot: Int
  ) {
    let property = address.assumingMemoryBound(to: type)
    if let installed = type as? any InstalledProperty.Type {
      install(installed, at: address, in: node, slot: slot)
    } else {
      property.pointee.update()
    }
  }

  private func install<Kind: InstalledProperty>(
    _ type: Kind.Type, at address: UnsafeMutableRawPointer, in node: Node, slot: Int
  ) {
    address.assumingMemoryBound(to: type).pointee.install(in: node, slot: slot)
  }

  /// Says what is likely a mistake in how a view was made again.
  func warn<Content>(from old: Content, to new: Content, in node: Node) {
    withUnsafeBytes(of: old) { old in
      withUnsafeBytes(of: new) { new in
        for property in properties {
          guard let type = property.type as? any InstalledProperty.Type else { continue }
          warn(
            type, old.baseAddress! + property.offset, new.baseAddress! + property.offset, property, in: node)
        }
      }
    }
  }

  private func warn<Kind: InstalledProperty>(
    _ type: Kind.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, _ property: Property, in node: Node
  ) {
    let (old, new) = (old.assumingMemoryBound(to: type), new.assumingMemoryBound(to: type))
    new.pointee.warn(after: old.pointee, named: property.name, in: node, slot: property.offset)
  }
}
