/** Six random bytes as so many digits: what banks number their transactions with. */
export const digitsOf = (bytes: Buffer, count: number): string =>
  `${bytes.readUIntBE(0, 6) % 10 ** count}`.padStart(count, "0")

/** `001` to `366`; the time in milliseconds. */
export const dayOfYear = (now: number): string => {
  const start = Date.UTC(new Date(now).getUTCFullYear(), 0, 1)
  return `${Math.floor((now - start) / 86_400_000) + 1}`.padStart(3, "0")
}
