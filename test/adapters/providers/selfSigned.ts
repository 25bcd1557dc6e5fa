const pem = (label: string, base64: string) => `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`

/** A certificate for 127.0.0.1 that nobody but itself has signed, valid until 2126, and its key: secret to nobody. */
export const selfSigned = {
  key: pem(
    "PRIVATE KEY",
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcMmSNdFSJ+PS70V1zJvNQslvgVDbb4YFVPw7APCEt22hRANCAAQP" +
      "BPheCkJnmT/S6zO2ttcB4bbi7LBu8lfQIw4qrWTZmKnuA3qa/2upmIrTan31l0SA/45o32Fc30byRay+/fhT"
  ),
  cert: pem(
    "CERTIFICATE",
    "MIIBmjCCAUGgAwIBAgIUGPO72RGxIsR7fmdoI/KFB7/gJlAwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2" +
      "MTEyMTAzMDE1N1oYDzIxMjYxMDI4MDMwMTU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC" +
      "AAQPBPheCkJnmT/S6zO2ttcB4bbi7LBu8lfQIw4qrWTZmKnuA3qa/2upmIrTan31l0SA/45o32Fc30byRay+/fhTo28wbTAdBgNV" +
      "HQ4EFgQU2OJZYTifIorh563YVD31TxQzlzMwHwYDVR0jBBgwFoAU2OJZYTifIorh563YVD31TxQzlzMwDwYDVR0TAQH/BAUwAwEB" +
      "/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZIzj0EAwIDRwAwRAIgIopsPM3ITqM5K4773jebfAtrcprvMCo1Q/PE" +
      "YZ+6yS4CIBpaykxNpedHB3tAKAehWvWWHzZLFkdydewhdsg3Pm3r"
  )
}
