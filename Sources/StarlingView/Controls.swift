public import StarlingModel

/// A line of text.
public struct Text: View, Primitive {
  public typealias Body = Never
  let line: String?

  public init(_ content: some StringProtocol) {
    line = String(content)
  }
}

/// Does something when it is tapped.
public struct Button: View, Primitive {
  public typealias Body = Never
  let line: String?
  let tap: (@MainActor () -> Void)?

  public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {
    line = String(title)
    tap = action
  }
}

/// Turns something on and off. Reads its binding in a scope of its own.
public struct Toggle: View {
  private let title: String
  private let isOn: Binding<Bool>

  public init(_ title: some StringProtocol, isOn: Binding<Bool>) {
    self.title = String(title)
    self.isOn = isOn
  }

  public var body: some View {
    let isOn = isOn
    Control(line: "\(isOn.wrappedValue ? "[x]" : "[ ]") \(title)", tap: { isOn.wrappedValue.toggle() }, type: nil)
  }
}

/// A line that can be typed into. Reads its binding in a scope of its own.
public struct TextField: View {
  private let title: String
  private let text: Binding<String>

  public init(_ title: some StringProtocol, text: Binding<String>) {
    self.title = String(title)
    self.text = text
  }

  public var body: some View {
    let text = text
    Control(line: "\(title): \(text.wrappedValue)", tap: nil, type: { text.wrappedValue = $0 })
  }
}

/// What a control shows and does, once its binding has been read.
struct Control: View, Primitive {
  typealias Body = Never
  let line: String?
  let tap: (@MainActor () -> Void)?
  let type: (@MainActor (String) -> Void)?
}

/// Views one below the other.
public struct VStack: View, Primitive {
  public typealias Body = Never
  let children: [any View]

  public init(@ViewBuilder content: () -> some View) {
    children = [content()]
  }
}

/// A view for each element of a collection.
public struct ForEach<Data: RandomAccessCollection, Content: View>: View, Primitive {
  public typealias Body = Never
  let children: [any View]

  public init(_ data: Data, @ViewBuilder content: (Data.Element) -> Content) {
    children = data.map(content)
  }
}
