/** What all public pages share. Parts of a page add what is theirs alone, by these variables. */
export const baseCss = `
*,:before,:after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:var(--s-4)}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--bg);color:var(--fg);font:var(--t-16)/1.5 var(--font);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{flex:1 0 auto;padding-top:var(--s-8);padding-bottom:var(--s-16)}
.wrap{width:100%;max-width:1200px;margin-inline:auto;padding-inline:var(--s-6)}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure,blockquote,pre{margin:0}
ul,ol{padding-left:1.25em}
h1,h2,h3,h4{line-height:1.25;font-weight:600;text-wrap:balance}
h1{font-size:var(--t-28);letter-spacing:-.02em}
h2{font-size:var(--t-20);letter-spacing:-.01em}
h3{font-size:var(--t-16)}
small,.small{font-size:var(--t-13)}
.soft{color:var(--soft)}
a{color:var(--accent);text-underline-offset:.2em;text-decoration-thickness:1px}
a:not(:hover){text-decoration-color:color-mix(in srgb,currentColor 35%,transparent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre,kbd,samp{font-family:var(--mono);font-size:.875em}
:not(pre)>code{padding:.1em .35em;border-radius:4px;background:var(--surface);border:1px solid var(--line)}
pre{overflow-x:auto;overflow-wrap:normal;padding:var(--s-3) var(--s-4);border:1px solid var(--line);border-radius:var(--radius);background:var(--surface);font-size:var(--t-13);line-height:1.6}
svg{display:block}.icon{flex:none;display:inline-block;vertical-align:-.15em}
hr{border:0;border-top:1px solid var(--line);margin:var(--s-8) 0}
table{width:100%;border-collapse:collapse;font-size:var(--t-14)}
th,td{padding:var(--s-2) var(--s-3);text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-size:var(--t-13);font-weight:500;white-space:nowrap}
tbody th{font-weight:500}
th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
.num{text-align:right;white-space:nowrap}
.scroll{overflow-x:auto}
.card{border:1px solid var(--line);border-radius:var(--radius);padding:var(--s-4)}
.badge{display:inline-block;padding:0 var(--s-2);border:1px solid var(--line);border-radius:99px;font-size:var(--t-12);line-height:20px;color:var(--soft);white-space:nowrap}
.ok{color:var(--ok)}.mid{color:var(--mid)}.bad{color:var(--bad)}
.button{display:inline-flex;align-items:center;gap:var(--s-2);padding:var(--s-2) var(--s-4);border:1px solid var(--line);border-radius:var(--radius);background:var(--bg);color:var(--fg);font:500 var(--t-14)/20px var(--font);text-decoration:none;cursor:pointer}
.button:hover{background:var(--surface)}
.button.main{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.button.main:hover{filter:brightness(1.08)}
input,select{font:inherit;font-size:var(--t-14);line-height:20px;padding:var(--s-2) var(--s-3);border:1px solid color-mix(in srgb,var(--soft) 70%,transparent);border-radius:var(--radius);background:var(--bg);color:var(--fg);max-width:100%}
summary{cursor:pointer}
.skip{position:absolute;left:-99rem}.skip:focus{left:var(--s-4);top:var(--s-2);background:var(--bg);padding:var(--s-2)}
.top{border-bottom:1px solid var(--line)}
.top .wrap{display:flex;align-items:center;gap:var(--s-2) var(--s-6);min-height:56px;padding-block:var(--s-2)}
.brand{display:flex;align-items:center;gap:var(--s-2);min-width:0;color:var(--fg);font-weight:600;text-decoration:none}
.brand bdi{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.brand>:first-child{flex:none}
.brand img{height:28px;width:auto;max-width:160px}
.top nav{display:flex;gap:var(--s-1)}
.top nav a{padding:var(--s-1) var(--s-2);border-radius:6px;color:var(--soft);font-size:var(--t-14);text-decoration:none}
.top nav a:hover{color:var(--fg);background:var(--surface)}
.top nav [aria-current]{color:var(--fg);font-weight:500}
.languages{margin-left:auto;flex:none}.enter{flex:none;padding-block:6px}
.foot{border-top:1px solid var(--line);color:var(--soft);font-size:var(--t-13)}
.foot .wrap{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-6);padding-block:var(--s-6)}
.foot a{color:inherit}
.foot .wrap>:last-child{margin-left:auto}
.copied{position:relative}.copy{display:none;align-items:center;gap:var(--s-1);padding:2px 6px;border:1px solid var(--line);border-radius:6px;background:var(--bg);color:var(--soft);font:500 var(--t-12)/20px var(--font);cursor:pointer}
.copy:hover{color:var(--fg)}.can-copy .copy{display:inline-flex}
.on{display:inline-flex;align-items:center;gap:var(--s-1);font-size:var(--t-14);text-decoration:none}.on:hover{text-decoration:underline}
pre+.copy{position:absolute;top:var(--s-2);right:var(--s-2)}
.whole{user-select:all}
@media(max-width:40rem){.wrap{padding-inline:var(--s-4)}main{padding-top:var(--s-6)}.top .wrap{flex-wrap:wrap;gap:0 var(--s-3)}.brand{flex:1}.languages{margin-left:0}pre+.copy:not(.done) span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.top nav.pages{order:3;width:100%;margin-inline:calc(-1*var(--s-2))}.foot .wrap>:last-child{margin-left:0}}
@media(prefers-reduced-motion:no-preference){a,.button{transition:color .12s,background .12s}}
@media print{.top nav,.foot,.button,form,.copy{display:none!important}details::details-content{content-visibility:visible}pre{white-space:pre-wrap}tr,pre{break-inside:avoid}h1,h2,h3,h4{break-after:avoid}}
`
  .trim()
  .replaceAll('\n', '')
