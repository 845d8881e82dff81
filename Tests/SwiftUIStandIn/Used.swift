// The names of SwiftUI that `GuestTests` uses, in the shapes that SwiftUI gives them. SwiftUI brings Observation too.
@_exported public import Observation

public protocol View {
  associatedtype Body
  @ViewBuilder var body: Body { get }
}

public protocol App {}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content>(_ content: Content) -> Content { content }
}

public struct Text: View {
  public let content: String
  public init(_ content: String) { self.content = content }
  public var body: Never { fatalError("Text has no body.") }
}

@propertyWrapper public struct State<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var projectedValue: Binding<Value> {
    let value = wrappedValue
    return Binding(get: { value }, set: { _ in })
  }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
  public var projectedValue: Binding<Value> { self }

  public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Binding<Member> {
    Binding<Member>(get: { wrappedValue[keyPath: path] }, set: { wrappedValue[keyPath: path] = $0 })
  }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) where Value: AnyObject & Observable { self.wrappedValue = wrappedValue }
  public var projectedValue: Bindable<Value> { self }

  public subscript<Member>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Member>
  ) -> Binding<Member> where Value: AnyObject {
    let object = wrappedValue
    return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
  }
}

public struct EnvironmentValues {
  public var layoutDirection = ""
  public init() {}
}

@propertyWrapper public struct Environment<Value> {
  public let wrappedValue: Value
  public init(_ path: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: path] }
}

public struct Animation: Sendable {
  public static let `default` = Animation()
  public static let easeIn = Animation()
}

public protocol TransactionKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct Transaction {
  public var animation: Animation?
  public init() {}
  public init(animation: Animation?) { self.animation = animation }
}

public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
  try body()
}

public func withTransaction<R, V>(
  _ keyPath: WritableKeyPath<Transaction, V>, _ value: V, _ body: () throws -> R
) rethrows -> R {
  try body()
}

public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
  try body()
}
