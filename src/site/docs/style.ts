import { codeCss } from '../highlight.ts'

/** What the documentation adds to the look of the public pages; every colour is a token of it. */
export const docsCss = (
  codeCss +
  `
.docs{display:grid;grid-template-columns:208px minmax(0,1fr) 184px;gap:var(--s-8);align-items:start}
.docs .side,.docs .contents{position:sticky;top:var(--s-4);max-height:calc(100vh - 2*var(--s-4));overflow-y:auto;font-size:var(--t-14)}
.docs .side,.docs .contents{padding-inline:var(--s-2);margin-inline:calc(-1*var(--s-2))}
.docs nav p,.docs .narrow p{margin:var(--s-6) 0 var(--s-1);font-size:var(--t-12);font-weight:600;color:var(--soft)}
.docs .contents p{margin-top:0}
.docs nav ul,.docs .narrow ul{list-style:none;padding:0}
.docs nav li a,.docs .narrow li a{display:block;padding:var(--s-1) var(--s-2);margin-inline:calc(-1*var(--s-2));border-radius:6px;color:var(--soft);text-decoration:none}
.docs nav li a:hover,.docs .narrow li a:hover{color:var(--fg);background:var(--surface)}
.docs li [aria-current]{color:var(--accent);background:var(--accent-soft);font-weight:500}
.docs .contents li a{padding-block:2px;font-size:var(--t-13)}
.docs .contents .d3 a{padding-left:var(--s-6)}
.docs .version{font-weight:400}
.docs .narrow{display:none;border-bottom:1px solid var(--line);padding-bottom:var(--s-2);font-size:var(--t-14)}
.docs .narrow summary{font-weight:500;margin-top:var(--s-1);padding-block:var(--s-2)}
.search{display:flex;gap:var(--s-1);margin:2px}
.search label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.search input{flex:1;min-width:0}
.search .button{padding:var(--s-2)}
.docs article{min-width:0;max-width:760px}
.docs article>*+*,.english>*+*{margin-top:var(--s-4)}
.docs h1+p{font-size:var(--t-20);color:var(--soft);line-height:1.4}
.docs h2{margin-top:var(--s-12)!important;padding-top:var(--s-4);border-top:1px solid var(--line)}
.docs h3{margin-top:var(--s-8)!important}
.docs li+li{margin-top:var(--s-1)}
.docs nav li+li{margin-top:0}
.docs .anchor{color:inherit;text-decoration:none}
.docs .anchor:hover:after{content:" #";color:var(--soft);font-weight:400}
.docs .note{padding:var(--s-3) var(--s-4);border:1px solid var(--line);border-left:3px solid var(--accent);border-radius:var(--radius);background:var(--surface)}
.docs .copied,.docs .copied pre{margin:0}.docs article .copied{margin-top:var(--s-4)}.docs pre code{font-size:1em}
.docs td,.docs th{overflow-wrap:break-word}.docs td:not(:first-child){min-width:8em}.docs td:first-child code,.docs th[class]{white-space:nowrap}
.docs .keys dt{margin-top:var(--s-6);padding-top:var(--s-4);border-top:1px solid var(--line);scroll-margin-top:var(--s-4)}
.docs .keys dt>a{font-weight:600}.docs .keys dt code{border:0;background:none;padding:0;font-size:var(--t-14)}
.docs .keys dt .soft{font-size:var(--t-13)}.docs .keys dd{margin-left:0;font-size:var(--t-14)}
.docs .keys dd>*{margin-top:var(--s-2)}
.docs .index{display:flex;flex-wrap:wrap;gap:var(--s-1) var(--s-3);font-size:var(--t-14)}.docs .index code{border:0;background:none;padding:0}.docs .index a{text-decoration:none}.docs .index a:hover{text-decoration:underline}
.docs .keys pre{padding-block:var(--s-2)}
.neighbours{display:grid;grid-template-columns:1fr 1fr;gap:var(--s-4);margin-top:var(--s-12)!important}
.neighbours a{padding:var(--s-3) var(--s-4);border:1px solid var(--line);border-radius:var(--radius);text-decoration:none}
.neighbours a:hover{border-color:var(--accent)}
.neighbours small{display:block;color:var(--soft)}
.neighbours [rel=next]{grid-column:2;text-align:right}
.hits{list-style:none;padding:0}.hits li{padding:var(--s-4) 0;border-top:1px solid var(--line)}
.hits a{font-weight:500}.hits small{color:var(--soft);margin-left:var(--s-2)}.hits p{font-size:var(--t-14);color:var(--soft)}

.docs .scroll{background:linear-gradient(90deg,var(--bg) 50%,transparent) 0/48px 100% local,linear-gradient(270deg,var(--bg) 50%,transparent) 100%/48px 100% local,linear-gradient(90deg,var(--line),transparent) 0/12px 100%,linear-gradient(270deg,var(--line),transparent) 100%/12px 100%;background-repeat:no-repeat}
mark{background:color-mix(in srgb,var(--accent) 20%,transparent);color:var(--fg);border-radius:2px;font-weight:500}
.op{display:flex;flex-wrap:wrap;align-items:baseline;gap:var(--s-2);font-size:var(--t-14)}
.op b{font-family:var(--mono);font-size:var(--t-13);color:var(--accent)}
.op b.delete{color:var(--bad)}.op b.get{color:var(--ok)}
.docs h4{font-size:var(--t-13);color:var(--soft);font-weight:600;margin-top:var(--s-6)!important}
.docs .try{display:none}.can-copy .docs .try{display:block}
.try{border:1px solid var(--line);border-radius:var(--radius);padding:var(--s-2) var(--s-4)}
.try summary{font-size:var(--t-14);font-weight:500}
.try form{display:grid;gap:var(--s-3);padding:var(--s-3) 0;font-size:var(--t-14)}
.try label{display:grid;gap:var(--s-1)}
.try textarea{font:var(--t-13)/1.6 var(--mono);padding:var(--s-2) var(--s-3);border:1px solid color-mix(in srgb,var(--soft) 70%,transparent);border-radius:var(--radius);background:var(--bg);color:var(--fg);min-height:8rem;width:100%}
.try .button{justify-self:start}
.scroll:has(.ways){overflow:visible}
.ways thead{position:sticky;top:0;background:var(--bg)}.ways tr{scroll-margin-top:var(--s-12)}
.ways th:first-child{min-width:14rem}
.carried{color:var(--ok)}.adapted{color:var(--accent)}.dropped{color:var(--mid)}.refused{color:var(--bad)}
.ways small{display:block;color:var(--soft);font-weight:400}
@media(max-width:70rem){.docs{grid-template-columns:208px minmax(0,1fr)}.docs .contents{display:none}}
@media(max-width:48rem){.docs{display:block}.docs .side{display:none}.docs .narrow{display:block;margin-bottom:var(--s-6)}}
@media(max-width:60rem){.ways,.ways thead,.ways tbody{display:block}.ways tr{display:grid;grid-template-columns:repeat(4,1fr);border-bottom:1px solid var(--line)}.ways th,.ways td{min-width:0!important;padding:var(--s-1) 0;border:0}.ways tbody th{grid-column:1/-1;padding-top:var(--s-2)}.ways td{padding-bottom:var(--s-2)}.ways thead th:first-child{display:none}}
@media(max-width:40rem){.fields,.fields tbody{display:block}.fields thead{display:none}.fields tr{display:grid;grid-template-columns:auto 1fr;gap:0 var(--s-3);padding-block:var(--s-2);border-bottom:1px solid var(--line)}.fields td{min-width:0!important;padding:0;border:0}.fields td:last-child{grid-column:1/-1}}
@media print{.docs .try,.docs .side,.docs .contents,.docs .narrow,.neighbours{display:none}.docs{display:block}}
`
).replaceAll('\n', '')
