import StarlingModel

@Replicated final class Chapter: Sendable {
  var title = "Untitled"
  var pages = 0
}

enum Mood: String, Sendable {
  case calm
  case wild
}

struct Stop: Codable, Equatable, Sendable {
  var name = ""
  var minutes = 0
}

@Replicated final class Novel: Sendable {
  var chapters: [Chapter] = []
  var words: [String] = []
  var numbers: [Int] = []
  var moods: [Mood] = []
  var stops: [Stop] = []
  var standard = ["a", "b"]
  var rest: [Double] = []
}

@ReplicatedFields struct Trip: Sendable {
  var stops: [String] = []
  var name = ""
}

@Replicated final class Journey: Sendable {
  var trip = ReplicatedRecord(Trip())
}

extension Novel {
  func add(_ titles: String...) {
    for title in titles {
      let chapter = Chapter()
      chapter.title = title
      chapters.append(chapter)
    }
  }

  var titles: [String] { chapters.map(\.title) }
}
