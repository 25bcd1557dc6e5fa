/**
 * Loaded into a server before its own code (`node --import`). Its clock then goes ahead by as many milliseconds as this
 * run tells it, or behind where they are negative; its timers keep their pace, as when an operator sets the time.
 */
const now = Date.now
let aheadMillis = 0

Date.now = () => now() + aheadMillis
process.on("message", (millis) => {
  if (typeof millis === "number") aheadMillis = millis
})
// A server that has nothing else to do ends.
process.channel?.unref()
