import StarlingExposition

extension AuditCounts {
  var families: [MetricFamily] {
    [
      .counter(
        "starling_audit_lines_total", "Lines of the audit log, by what became of them.",
        by: [
          ([MetricLabel("outcome", "written")], Double(written)),
          ([MetricLabel("outcome", "omitted")], Double(omitted)),
          ([MetricLabel("outcome", "lost")], Double(lost)),
        ])
    ]
  }
}
