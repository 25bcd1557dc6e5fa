// The load generator's process. It answers each window it is sent with what came of it.
import { runWindow, type Window } from "./window.ts"

process.on("message", (window: Window) => {
  runWindow(window).then(
    (load) => process.send?.({ load }),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
// The one who asks is gone.
process.on("disconnect", () => process.exit())
