/** What the pages of models add to the frame's style. */
export const modelsCss = `
.lead{margin-top:var(--s-2);max-width:44rem;color:var(--soft)}
.filters{display:grid;grid-template-columns:minmax(10rem,2fr) repeat(5,minmax(0,1fr)) auto;gap:var(--s-3);align-items:end;margin:var(--s-6) 0 var(--s-4)}
.filters label{display:grid;gap:var(--s-1);min-width:0;color:var(--soft);font-size:var(--t-12);font-weight:500}
.filters input,.filters select{width:100%;height:38px;color:var(--fg);font-weight:400;text-overflow:ellipsis}
.bar{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-4);align-items:baseline;color:var(--soft);font-size:var(--t-13)}
.prices{--f:4ch;margin-top:var(--s-3)}
.prices i{display:inline-block;min-width:var(--f);text-align:left;font-style:normal}
.prices tbody th{font-weight:500}
.prices tbody th small,.prices td small{display:block;color:var(--soft);font-size:var(--t-12);font-weight:400}
.prices td{white-space:nowrap}
.prices tbody tr:hover{background:var(--surface)}
.prices thead a{color:inherit;text-decoration:none}
.prices thead a:hover{color:var(--fg);text-decoration:underline}
.prices [aria-sort] a{color:var(--fg);font-weight:600}
.prices th:not(:first-child),.prices td{padding-inline:var(--s-2)}
.prices .wide{white-space:normal;font-size:var(--t-13)}
.prices.by-model th:first-child{width:24%}.prices.by-model th small{max-width:17rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.fixed{table-layout:fixed;max-width:calc(17rem + var(--n)*9rem)}.fixed th:first-child{width:24%}.fixed thead th{white-space:normal;vertical-align:bottom}
.more{margin:0}.more thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.fold summary{padding:var(--s-2) 0;color:var(--soft);font-size:var(--t-13)}.fold summary:hover{color:var(--fg)}
.prices .list>*{color:var(--soft)}
.prices .tier th{padding-left:var(--s-4);font-weight:400;color:var(--soft)}
.name{text-decoration:none;overflow-wrap:anywhere}.name:hover{text-decoration:underline}
.state{display:inline-flex;align-items:center;gap:6px;white-space:nowrap;color:var(--soft)}
.state:before{content:"";width:8px;height:8px;border-radius:99px;background:var(--soft)}
.state.operational:before{background:var(--ok)}.state.degraded:before{background:var(--mid);border-radius:1px;transform:rotate(45deg)}.state.down:before{background:var(--bad);border-radius:1px}
.state.no_data:before{background:none;box-shadow:inset 0 0 0 1.5px var(--soft)}
.state.degraded{color:var(--mid)}.state.down{color:var(--bad)}
.save{color:var(--ok)}
.pager{display:flex;gap:var(--s-4);align-items:center;justify-content:center;margin-top:var(--s-6);font-size:var(--t-14);color:var(--soft)}
.again{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-3);align-items:center;margin:var(--s-6) 0;font-size:var(--t-14)}.again input{width:20rem}.meant{margin-top:var(--s-2);line-height:1.8}
.none{padding:var(--s-12) 0;text-align:center}.none p{max-width:36rem;margin:var(--s-2) auto var(--s-4);color:var(--soft)}
.crumbs{font-size:var(--t-13);color:var(--soft);margin-bottom:var(--s-3)}.crumbs a{color:inherit}
.head{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-4);align-items:baseline;justify-content:space-between}
.head h1{overflow-wrap:anywhere;min-width:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:var(--s-4);margin-top:var(--s-6);padding:var(--s-4);border:1px solid var(--line);border-radius:var(--radius)}
.facts dt{color:var(--soft);font-size:var(--t-12)}.facts dd{font-size:var(--t-14);font-weight:500}
.actions{display:flex;flex-wrap:wrap;gap:var(--s-2);margin-top:var(--s-4)}
.part{margin-top:var(--s-12)}.part h3{margin-top:var(--s-6);font-size:var(--t-14)}
.part>p,.part li{font-size:var(--t-14);color:var(--soft)}.part>ul{margin-top:var(--s-3)}
.part .panel h3{margin:var(--s-4) 0 var(--s-2);font-size:var(--t-12);font-weight:500;color:var(--soft)}.part .panel h3:first-child{margin-top:0}.part .tabs{margin-top:var(--s-4)}
@media(max-width:64rem){.filters{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media(max-width:60rem){
.filters{grid-template-columns:1fr 1fr}.filters label:first-child{grid-column:1/-1}.filters .button{justify-content:center}
.prices,.prices tbody,.prices tr,.prices th,.prices td{display:block;padding:0;border:0;white-space:normal;text-align:left}
.prices thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.prices tbody tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(6.5rem,1fr));gap:var(--s-2) var(--s-3);padding:var(--s-3) 0;border-bottom:1px solid var(--line)}
.prices tbody tr>th:first-child{grid-column:1/-1;padding:0}
.prices td{padding-inline:0;font-size:var(--t-14)}
.prices td:before{content:attr(data-l);display:block;color:var(--soft);font-size:var(--t-12)}
.prices td:empty{display:none}.prices .tier th{color:var(--soft);font-size:var(--t-13)}.prices.by-model th small{max-width:none}.fixed{max-width:none}.prices.fixed th:first-child,.prices.by-model th:first-child{width:auto}.prices i{min-width:0}
}
`
  .trim()
  .replaceAll('\n', '')
