import StarlingExposition

extension AuditCounts {
  var families: [MetricFamily] {
    [
      .counter(
        "starling_audit_lines_total",
        "Lines of the audit log: written, omitted (repeated, or too many a minute), lost.",
        by: [
          ([MetricLabel("outcome", "written")], Double(written)),
          ([MetricLabel("outcome", "omitted")], Double(omitted)),
          ([MetricLabel("outcome", "lost")], Double(lost)),
        ])
    ]
  }
}
