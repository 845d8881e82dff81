import StarlingModel

@Replicated final class Note: Sendable {
  var body = ReplicatedText()
  var greeting = ReplicatedText("Hello")
  var title = ""
}
