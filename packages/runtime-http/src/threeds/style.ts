/** The look of the hosted pages, light and dark, from 320 pixels of width on. Every colour pair has a contrast of 4.5 and more. */
export const style = `
:root { color-scheme: light dark; --ink: #14202e; --soft: #556274; --line: #dde3ea; --ground: #eef2f6; --card: #fff;
  --accent: #0b5c8a; --on-accent: #fff; --good: #0f6b3c; --bad: #a3251b; --wait: #7a4d00; --shadow: 0 1px 2px #14202e14, 0 12px 32px #14202e14 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf3; --soft: #a0acba; --line: #313c49; --ground: #0e141b; --card: #18202a;
  --accent: #7cc4f0; --on-accent: #08202f; --good: #6fd39b; --bad: #ff9d92; --wait: #f0bf6b; --shadow: none } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; align-items: center; justify-content: center;
  gap: 1rem; padding: 1.25rem 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 27rem; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 16px; box-shadow: var(--shadow) }
h1 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .5rem; letter-spacing: -.01em; text-wrap: balance }
p { margin: .5rem 0; text-wrap: pretty }
.soft { color: var(--soft) }
.mark { display: flex; width: 2.75rem; height: 2.75rem; margin: 0 0 .85rem; border-radius: 50%; align-items: center; justify-content: center; border: 2px solid currentColor; color: var(--accent) }
.mark svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.good { color: var(--good) } .bad { color: var(--bad) } .wait { color: var(--wait) }
.amount { font-size: 2.1rem; line-height: 1.15; font-weight: 650; letter-spacing: -.02em; margin: 1rem 0 .25rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
dl { margin: .85rem 0 1.1rem; border-top: 1px solid var(--line) }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .5rem 0; border-bottom: 1px solid var(--line) }
dt { color: var(--soft); flex: none } dd { margin: 0; text-align: right; font-weight: 550; overflow-wrap: anywhere; min-width: 0 }
ol { margin: 0 0 1.1rem; padding-left: 1.25rem; color: var(--soft) } li { margin: .15rem 0 } li::marker { color: var(--accent); font-weight: 650 }
form { margin: 0 } p + form, p + .button { margin-top: 1rem }
button, .button { display: block; width: 100%; padding: .85rem 1rem; border: 1px solid var(--accent); border-radius: 10px; background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 650; text-align: center; text-decoration: none; cursor: pointer }
button:hover, .button:hover { filter: brightness(1.08) } button:active, .button:active { filter: brightness(.94) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
a { color: var(--accent); text-underline-offset: .2em; overflow-wrap: anywhere }
.back { margin: .75rem 0 0; text-align: center }
.left { margin: .75rem 0 0; text-align: center; color: var(--soft); font-size: .9rem; font-variant-numeric: tabular-nums }
.test { max-width: 27rem; width: 100%; margin: 0; padding: .6rem .9rem; border: 1px dashed var(--wait); border-radius: 10px; color: var(--wait); font-size: .9rem }
footer { max-width: 27rem; width: 100%; color: var(--soft); font-size: .8rem; text-align: center }
footer svg { width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.06em; fill: none; stroke: currentColor; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round }
@media (max-width: 24rem) { body { padding: .75rem; justify-content: flex-start } main { padding: 1.25rem } .amount { font-size: 1.75rem } }
@media (forced-colors: active) { .mark, button, .button { border-color: ButtonBorder } }
`

/**
 * A clock that counts down without a script, where the browser can (CSS Values 4, `round()` and `mod()`; CSS Properties
 * and Values 1), in place of the sentence that was right when the page was made.
 */
export const countdownStyle = (secondsLeft: number): string => `
@property --left { syntax: "<integer>"; initial-value: 0; inherits: true }
@property --minutes { syntax: "<integer>"; initial-value: 0; inherits: true }
@property --seconds { syntax: "<integer>"; initial-value: 0; inherits: true }
@keyframes left { from { --left: ${secondsLeft} } to { --left: 0 } }
@keyframes shown { to { visibility: visible } }
@keyframes gone { to { visibility: hidden } }
.clock { display: none }
.left { display: grid } .left > * { grid-area: 1 / 1 }
.open { animation: gone 0s linear ${secondsLeft}s forwards }
.over { visibility: hidden; animation: shown 0s linear ${secondsLeft}s forwards }
@supports (width: round(down, 1px, 1px)) and (width: mod(3px, 2px)) {
  .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
  .clock { display: inline; animation: left ${secondsLeft}s linear forwards; --minutes: round(down, var(--left) / 60, 1); --seconds: mod(var(--left), 60) }
  .clock::before { counter-reset: minutes var(--minutes) seconds var(--seconds); content: counter(minutes) ":" counter(seconds, decimal-leading-zero) " left to continue" }
}
`
