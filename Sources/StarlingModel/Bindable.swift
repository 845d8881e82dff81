/// Makes bindings to the properties of an observable object: `$book.title`.
///
/// Wrapping an object reads nothing of it.
@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
  public var wrappedValue: Value

  public var projectedValue: Bindable<Value> { self }

  public init(wrappedValue: Value) where Value: AnyObject & Observable {
    self.wrappedValue = wrappedValue
  }

  public init(_ wrappedValue: Value) where Value: AnyObject & Observable {
    self.wrappedValue = wrappedValue
  }

  public init(projectedValue: Bindable<Value>) where Value: AnyObject & Observable {
    self = projectedValue
  }

  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> where Value: AnyObject {
    binding(path, isolation: nil)
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
  public var id: Value.ID { wrappedValue.id }
}
