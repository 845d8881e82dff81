#if NATS
  /// A user of an account of an operator, made for these tests alone: what `nsc` would write.
  enum CredentialsFixture {
    static let publicName = "UAFIZSNDTV35INVESMB5JLZGDP6EHXQIWPU4ZZUG4C5IV6SP6WTJK2NG"
    static let seed = "SUAAIKQQ7MSWXWTCVIS6EGCVXVNK3CZHLS5TAUIV6ZBTA6YV7USVF4OIR4"

    /// Lines of the configuration of a server that lets in this operator's users.
    static let settings =
      """
      operator: eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJBIiwiaWF0IjoxNzAwMDAwMDAwLCJpc3M\
      iOiJPQ0JVRlZKS1BZT05QNFlHRUNJSFM1S0hZSVlTSkNRQ05JU1paQVE3WDZXQ1JXRkFURUpYSVNNUiIsIm5hbWUiOiJpc2xlcyI\
      sInN1YiI6Ik9DQlVGVkpLUFlPTlA0WUdFQ0lIUzVLSFlJWVNKQ1FDTklTWlpBUTdYNldDUldGQVRFSlhJU01SIiwibmF0cyI6eyJ\
      0eXBlIjoib3BlcmF0b3IiLCJ2ZXJzaW9uIjoyfX0.HWDHPVl153NzdEXu-od13uwtNm-svQPDRa13uDltmIfGYggd5Z2__y_puPi\
      kSD1Eq3FXJFJdssUt2RlD1xrOAA
      resolver: MEMORY
      resolver_preload: { ABG5F6NHAKUQ3UKNVYB3IZ24AJVI57TAHU7ZNM5S5KW43PC43VGT2FDK: eyJ0eXAiOiJKV1QiLCJhbG\
      ciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJCIiwiaWF0IjoxNzAwMDAwMDAwLCJpc3MiOiJPQ0JVRlZKS1BZT05QNFlHRUNJSFM\
      1S0hZSVlTSkNRQ05JU1paQVE3WDZXQ1JXRkFURUpYSVNNUiIsIm5hbWUiOiJsaWJyYXJ5Iiwic3ViIjoiQUJHNUY2TkhBS1VRM1V\
      LTlZZQjNJWjI0QUpWSTU3VEFIVTdaTk01UzVLVzQzUEM0M1ZHVDJGREsiLCJuYXRzIjp7ImxpbWl0cyI6eyJzdWJzIjotMSwiZGF\
      0YSI6LTEsInBheWxvYWQiOi0xLCJpbXBvcnRzIjotMSwiZXhwb3J0cyI6LTEsIndpbGRjYXJkcyI6dHJ1ZSwiY29ubiI6LTEsImx\
      lYWYiOi0xfSwidHlwZSI6ImFjY291bnQiLCJ2ZXJzaW9uIjoyfX0.pyzidPr7CDDXXCAkockBWhl5KWmt04oFdsqO-kC8OmOWorZ\
      -tq9zw4Hmw5-28W0ypkMoxkZxYsVe2T8IzBGiDQ }
      """

    /// The text of a file of credentials.
    static let credentials =
      """
      -----BEGIN NATS USER JWT-----
      eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.eyJqdGkiOiJDIiwiaWF0IjoxNzAwMDAwMDAwLCJpc3MiOiJBQkc1R\
      jZOSEFLVVEzVUtOVllCM0laMjRBSlZJNTdUQUhVN1pOTTVTNUtXNDNQQzQzVkdUMkZESyIsIm5hbWUiOiJkYWVtb24iLCJzdWIiO\
      iJVQUZJWlNORFRWMzVJTlZFU01CNUpMWkdEUDZFSFhRSVdQVTRaWlVHNEM1SVY2U1A2V1RKSzJORyIsIm5hdHMiOnsicHViIjp7f\
      Swic3ViIjp7fSwic3VicyI6LTEsImRhdGEiOi0xLCJwYXlsb2FkIjotMSwidHlwZSI6InVzZXIiLCJ2ZXJzaW9uIjoyfX0.tun98\
      OBynbIdvW8jTq_VNU9OQLkCog1O_dZ11hEO22H8URAYLrCnKIINSIzyDpZRY8_nchBnyK1NG39ELn89Aw
      ------END NATS USER JWT------

      -----BEGIN USER NKEY SEED-----
      \(seed)
      ------END USER NKEY SEED------

      """
  }
#endif
