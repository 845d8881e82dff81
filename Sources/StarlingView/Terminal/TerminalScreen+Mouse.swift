import Foundation
import StarlingTerminal

/// What the mouse does: it points, scrolls, slides and drags.
extension TerminalScreen {
  func point(_ report: MouseReport) -> Bool {
    if drag(report) { return true }
    switch report.action {
    case .wheel(_, let rows) where rows != 0: return scroll(at: report.place) { _ in rows * 3 }
    case .press(.left): break
    case .press(.right):
      guard let target = target(at: report.place) else { return false }
      return perform(elements.rowActions(around: ElementID(node: target.thing))?.openMenu) { $0() }
    case .drag(.left): return slide(at: report.place)
    default: return false
    }
    guard let target = target(at: report.place), let element = element(ElementID(node: target.thing)),
      !element.style.isDisabled
    else { return false }
    if element.isFocusable { tree.focus.move(to: element.id, in: tree) }
    switch (element.kind, target.part) {
    case (.field(_, _, let isSecret, false), _):
      guard let rect = picture?.fieldRects[BlockID(element.id, part: 0)] else { return true }
      fields[element.id]?.editor.moveTo(column: report.place.column - rect.origin.column, secure: isSecret)
    case (.stepper, let part?): element.actions.step?(part == 1)
    case (.slider, _): _ = slide(at: report.place)
    case (.tabs(let labels, _), let part?) where labels.indices.contains(part): element.actions.choose?(part)
    case (.picker(let selected, _), _): _ = chooseNext(element, after: selected)
    default: element.actions.tap?()
    }
    return true
  }

  /// Tells what hears of drags where the mouse is; where it was pressed is noted, and means what it does anyway.
  func drag(_ report: MouseReport) -> Bool {
    func hearer(_ id: ElementID) -> Element? { elements.all.last { $0.id == id && $0.actions.drag != nil } }
    var isLast = false
    switch report.action {
    case .press(.left):
      let target = picture?.targets.last {
        $0.rect.contains(report.place) && hearer(ElementID(node: $0.id.thing)) != nil
      }
      dragged = target.map { (ElementID(node: $0.id.thing), report.place, false) }
      return false
    case .drag(.left): dragged?.isMoved = true
    case .release(.left): isLast = true
    default: return false
    }
    guard let (id, start, isMoved) = dragged, isMoved, let action = hearer(id)?.actions.drag else { return false }
    if isLast { dragged = nil }
    action(GestureStep(start: start.points, location: report.place.points, isLast: isLast))
    return true
  }

  /// The target at a place, if nothing lies over it.
  func target(at place: CellPoint) -> BlockID? {
    picture?.targets.last { target in
      target.rect.contains(place) && element(ElementID(node: target.id.thing)) != nil
    }?.id
  }

  func slide(at place: CellPoint) -> Bool {
    guard let id = target(at: place), id.part == 0, let element = element(ElementID(node: id.thing)),
      case .slider(_, let bounds) = element.kind, let rect = picture?.targets.last(where: { $0.id == id })?.rect
    else { return false }
    let length = max(1, rect.size.columns - 1)
    let fraction = Double(place.column - rect.origin.column) / Double(length)
    return perform(element.actions.slide) {
      $0(bounds.lowerBound + fraction * (bounds.upperBound - bounds.lowerBound))
    }
  }
}

extension CellPoint {
  fileprivate var points: CGPoint {
    CGPoint(x: TerminalLength.points(columns: column), y: TerminalLength.points(rows: row))
  }
}
