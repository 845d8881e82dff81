extension Message {
  /// So many documents of a group can be forgotten; all stand in one message.
  public static let forgottenCountMax = 4096
}
