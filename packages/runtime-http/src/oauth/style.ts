/** What the pages of a connection have beside the look of the hosted pages. */
export const style = `
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.4rem; color: var(--soft); font-size: .9rem; font-weight: 600 }
.brand svg { width: 1.5rem; height: 1.5rem; flex: none; color: var(--accent); fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.brand .host { margin-left: auto; font-weight: 400; overflow-wrap: anywhere; text-align: right }
h2 { font-size: .95rem; margin: 1.35rem 0 .35rem }
h1 .name, dd .name { overflow-wrap: anywhere; unicode-bidi: isolate }
label, legend { display: block; margin: .95rem 0 .3rem; font-weight: 600 }
legend { margin-top: 0; padding: 0; font-size: .95rem }
fieldset { margin: 1.35rem 0 0; padding: 0; border: 0; min-width: 0 }
@media (max-width: 30rem) { dl div { flex-direction: column; gap: 0 } dd { text-align: left } }
input[type=email], input[type=password], input[type=text] { display: block; width: 100%; padding: .75rem .85rem; border: 1px solid var(--field); border-radius: 10px;
  background: var(--card); color: var(--ink); font: inherit }
input[aria-invalid] { border-color: var(--bad) }
.code { letter-spacing: .3em; font-variant-numeric: tabular-nums; font-size: 1.2rem }
.wrong { margin: .5rem 0 0; color: var(--bad); font-weight: 600; font-size: .92rem }
ul { margin: 0; padding: 0; list-style: none } li { position: relative; padding-left: 1.7rem; margin: .35rem 0 } li::marker { content: none }
li svg { position: absolute; left: 0; top: .22rem; width: 1.1rem; height: 1.1rem; fill: none; stroke: currentColor; stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round }
.can svg { color: var(--good) } .cannot svg { color: var(--soft) }
.choice { display: flex; gap: .75rem; align-items: flex-start; margin: .5rem 0 0; padding: .7rem .85rem; border: 1px solid var(--field); border-radius: 10px; font-weight: 400; cursor: pointer }
.choice:has(input:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent) }
.choice:has(input:disabled) { cursor: default; color: var(--soft) }
.choice input { margin: .3rem 0 0; width: 1.05rem; height: 1.05rem; flex: none; accent-color: var(--accent) }
.choice span { min-width: 0; overflow-wrap: anywhere } .choice b { display: block; font-weight: 600 } .choice small { display: block; color: var(--soft); font-size: .88rem }
.warning { display: flex; gap: .7rem; margin: 1rem 0 0; padding: .75rem .9rem; border: 1px solid var(--wait); border-radius: 10px; font-size: .92rem }
.warning svg { width: 1.25rem; height: 1.25rem; flex: none; margin-top: .1rem; color: var(--wait); fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linecap: round; stroke-linejoin: round }
.actions { display: flex; gap: .7rem; margin: 1.4rem 0 0 } .actions button { flex: 1 } .main-first { flex-direction: row-reverse }
.link { display: inline-block; width: auto; text-align: inherit; min-height: 0; margin: 0; padding: .15rem 0; border: 0; background: none; color: var(--accent); font: inherit; font-size: .88rem; text-decoration: underline; cursor: pointer }
.quiet { background: none; color: var(--ink); border-color: var(--field) }
.note { font-size: .9rem; color: var(--soft) }
:root { --field: #76828f } @media (prefers-color-scheme: dark) { :root { --field: #74818f } }
@media (max-width: 24rem) { .actions { flex-direction: column-reverse } .main-first { flex-direction: column } }
`
