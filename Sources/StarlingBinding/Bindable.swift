public import Observation
import StarlingGraph
public import StarlingModel

/// Makes bindings to the properties of an observable object: `$book.title`.
///
/// Wrapping an object reads nothing of it.
///
/// A binding is used where its object is at home (`Binding`). A replicated model knows where that is. Any other object
/// is taken to be at home where the binding is made: on the main actor, or on the actor on which this was made too.
/// The compiler lets no other code name the properties of an actor's class. Bindings to a class that guards itself, and
/// that are used from any thread, are made with `Binding(get:set:)`.
@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
  /// The object to whose properties bindings are made.
  public var wrappedValue: Value
  /// On which this was made. An actor that keeps it is not held by it.
  private weak let maker: (any Actor)?

  /// The wrapper itself, so that `$book.title` is a binding.
  public var projectedValue: Bindable<Value> { self }

  /// Makes bindings to the properties of an observable object.
  public init(wrappedValue: Value, isolation: (any Actor)? = #isolation) where Value: AnyObject & Observable {
    self.wrappedValue = wrappedValue
    maker = isolation
  }

  /// Makes bindings to the properties of an observable object.
  public init(_ wrappedValue: Value, isolation: (any Actor)? = #isolation) where Value: AnyObject & Observable {
    self.wrappedValue = wrappedValue
    maker = isolation
  }

  /// The same bindable, as a view receives it from `$`.
  public init(projectedValue: Bindable<Value>) where Value: AnyObject & Observable {
    self = projectedValue
  }

  /// A binding to the property at `path`.
  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> where Value: AnyObject {
    binding(path, isolation: MainActor.ifCurrent ?? maker.flatMap { $0.isCurrent ? $0 : nil })
  }

  /// The binding knows where the model is at home.
  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> where Value: ReplicatedModel {
    binding(path, isolation: wrappedValue._$model.isolation ?? Value._$schema.isolation)
  }

  private func binding<Member>(
    _ path: ReferenceWritableKeyPath<Value, Member>, isolation: (any Actor)?
  ) -> Binding<Member> where Value: AnyObject {
    let object = wrappedValue
    return Binding(
      location: BindingLocation(root: .object(ObjectIdentifier(object))).appending(path),
      source: BindingSource(
        isolation: isolation, read: { object[keyPath: path] }, write: { object[keyPath: path] = $0 }))
  }
}

extension Bindable: Sendable where Value: Sendable {}

extension Bindable: Identifiable where Value: Identifiable {
  /// The object's identity.
  public var id: Value.ID { wrappedValue.id }
}

extension MainActor {
  /// The main actor, for those who run on it.
  package static var ifCurrent: MainActor? { shared.isCurrent ? shared : nil }
}
