const pem = (label: string, base64: string) => `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`

const key = pem(
  "PRIVATE KEY",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2aZIKW7zDF0Z6/nGcdPlqkwd34a2RoNOtHzLVaGrtDqhRANCAASDxhb/EbgS1N" +
    "mMATRPas2y2HWLSNJZrngKAoM/kT4jf+uh+RgijRH2s4XdTIT8RSqffRSJXfumNERofzba+JYO"
)

/** A certificate for hooks.example.com that nobody but itself has signed, valid until 2126, and its key: secret to nobody. */
export const valid = {
  key,
  cert: pem(
    "CERTIFICATE",
    "MIIBbDCCAROgAwIBAgIUB4Rcx63pe/4XssZTMi10Bhzg9YIwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMj" +
      "YwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD" +
      "QgAEg8YW/xG4EtTZjAE0T2rNsth1i0jSWa54CgKDP5E+I3/rofkYIo0R9rOF3UyE/EUqn30UiV37pjREaH822viWDqMxMC8wHAYDVR0RBBUwE4" +
      "IRaG9va3MuZXhhbXBsZS5jb20wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBDZHzzREzsm/LNcRYqZn9p0V+aglHdB4+D3XNO" +
      "OLU1bQIgWE6faLfLZuHuOS6vtWG6sqPEQNoW18MeY5haYQAktKg="
  )
}

/** The same, valid in 2020 alone. */
export const expired = {
  key,
  cert: pem(
    "CERTIFICATE",
    "MIIBajCCARGgAwIBAgIUAVfoufKVz19Nup7UZti8fvRaBiMwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wHhcNMj" +
      "AwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAcMRowGAYDVQQDDBFob29rcy5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA" +
      "BIPGFv8RuBLU2YwBNE9qzbLYdYtI0lmueAoCgz+RPiN/66H5GCKNEfazhd1MhPxFKp99FIld+6Y0RGh/Ntr4lg6jMTAvMBwGA1UdEQQVMBOCEW" +
      "hvb2tzLmV4YW1wbGUuY29tMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgUfy267KRIsJHJ48x8q80REubKZQHigEd9Bk9ViQ2" +
      "JXcCIEwMhM8cIPOvDrN9ry8OgkXYaDAq9HH4YmlmJt3iu7vy"
  )
}
