// Answers each message with the time of its own clock, and says first that it listens.
process.channel?.ref()
process.on("message", () => process.send?.(Date.now()))
process.send?.("listening")
