import StarlingGraph
import StarlingModel

/// A collection whose elements have identities of their own, by which bindings address them.
protocol BindingElements {
  func binding<Whole>(at index: Int, of whole: Binding<Whole>) -> Any
}

extension ReplicatedArray: BindingElements {
  func binding<Whole>(at index: Int, of whole: Binding<Whole>) -> Any {
    let id = untracked { self.id(at: index) }
    let memory = LastValue(untracked { self[index] })
    let step = BindingStep.element(AnyHashable(id))
    let element: Binding<Element> = whole.derived(
      step: step, read: { memory.remember(self[id]) },
      write: { element in
        guard untracked({ self[id] }) != nil else { return ModelIncident.report(.bindingToNothing) }
        self[id] = element
        _ = memory.remember(element)
      })
    if whole.location != nil { return element }
    // The array is the same wherever the binding came from.
    let location = BindingLocation(root: .object(ObjectIdentifier(self))).appending(step)
    return Binding<Element>(location: location, source: element.source, transaction: whole.transaction)
  }
}
