/** The documentation's looks, light and dark, within the page itself. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #06c; }
@media (prefers-color-scheme: dark) { :root { --link: #7bf } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.25rem; margin: 2rem 0 0 }
a { color: var(--link) } nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem }
code, pre { font: .875em/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .75rem; background: var(--soft); border-radius: .4rem }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: 0 .75rem }
summary { padding: .5rem 0; cursor: pointer } summary span { opacity: .75 }
summary b { display: inline-block; min-width: 4.2rem; font-size: .8rem }
.get { color: #18a058 } .post { color: #2f7ed8 } .delete { color: #d03050 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0 }
tr + tr { border-top: 1px solid var(--line) } th { font-weight: normal }
`.trim()
