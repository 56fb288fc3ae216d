import { statesCss } from '../../look/states.ts'
import { snippetsCss } from '../client-tabs.ts'

/** Tables of prices: points in line; with class `cards` each row is a card on a phone. */
export const tablesCss = `
.prices{margin-top:var(--s-3)}
.prices tbody th{font-weight:500}
.prices tbody th small,.prices td small,.prices thead small{display:block;color:var(--soft);font-size:var(--t-12);font-weight:400}
.prices td{white-space:nowrap}
.prices tbody tr:hover{background:var(--surface)}
.prices thead th{vertical-align:bottom}
.prices thead a{color:inherit;text-decoration:none}
.prices thead a:hover{color:var(--fg);text-decoration:underline}
.prices [aria-sort] a{color:var(--fg);font-weight:600}
.prices th:not(:first-child),.prices td{padding-inline:var(--s-2)}
.prices .text{white-space:normal;font-size:var(--t-13)}
.by-model th:first-child{width:24%}.by-model th small{max-width:17rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.prices .list>*{color:var(--soft)}
.prices .tier th{padding-left:var(--s-4);font-weight:400;color:var(--soft)}
.name{text-decoration:none;overflow-wrap:anywhere}.name:hover{text-decoration:underline}
.save{color:var(--ok)}
@media(max-width:60rem){.prices .wide{display:none}}
@media screen and (max-width:40rem){.brief th:first-child{width:auto}.brief tbody tr small{display:none}.brief th:not(:first-child),.brief td:not(:last-child){padding-inline:var(--s-1)}.brief .quiet{font-size:0}}
@media screen and (max-width:48rem){
.cards,.cards tbody,.cards tr,.cards th,.cards td{display:block;padding:0;border:0;white-space:normal;text-align:left}
.cards thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.cards tbody tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(5rem,1fr));gap:var(--s-2) var(--s-3);padding:var(--s-3) 0;border-bottom:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 5.5rem}
.cards tbody tr>th:first-child{grid-column:1/-1;padding:0}
.cards tr:has(.corner:not(.empty,:empty))>th:first-child{grid-column:1/-2!important}
.cards .corner{grid-column:-2/-1;grid-row:1;justify-self:end;text-align:right}
.cards th:not(:first-child),.cards td{padding-inline:0;font-size:var(--t-14)}
.cards td:before{content:attr(data-l);display:block;color:var(--soft);font-size:var(--t-12)}
.cards .corner:before{display:inline;margin-right:.4em}.cards .corner:has(.quiet,.dearer):before{display:none}
.cards td:empty,.cards .empty{display:none}.cards .tier th{color:var(--soft);font-size:var(--t-13)}.cards th small{max-width:none!important}.cards.fixed{max-width:none}.cards th:first-child{width:auto!important}
}
`
  .trim()
  .replaceAll('\n', '')

/** What the pages of models add to the frame's style. */
export const modelsCss = (
  statesCss +
  tablesCss +
  snippetsCss +
  `
.lead{margin-top:var(--s-2);max-width:44rem;color:var(--soft)}
.filters{display:grid;grid-template-columns:minmax(10rem,2fr) repeat(5,minmax(0,1fr)) auto;gap:var(--s-3);align-items:end;margin:var(--s-6) 0 var(--s-4)}
.filters label{display:grid;gap:var(--s-1);min-width:0;color:var(--soft);font-size:var(--t-12);font-weight:500}
.filters input,.filters select{width:100%;height:38px;color:var(--fg);font-weight:400;text-overflow:ellipsis}
.bar{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-4);align-items:baseline;color:var(--soft);font-size:var(--t-13)}
.fixed{table-layout:fixed;max-width:calc(20rem + var(--n)*12rem)}.fixed col{width:24%}.fixed thead th{white-space:normal;vertical-align:bottom}
.more{margin:0}.more thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.fold summary{padding:var(--s-2) 0;color:var(--soft);font-size:var(--t-13)}.fold summary:hover{color:var(--fg)}
.pager{display:flex;gap:var(--s-4);align-items:center;justify-content:center;margin-top:var(--s-6);font-size:var(--t-14);color:var(--soft)}
.again{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-3);align-items:center;margin:var(--s-6) 0;font-size:var(--t-14)}.again input{width:20rem}.meant{margin-top:var(--s-2);line-height:1.8}
.none{padding:var(--s-12) 0;text-align:center}.none p{max-width:36rem;margin:var(--s-2) auto var(--s-4);color:var(--soft)}
.crumbs{font-size:var(--t-13);color:var(--soft);margin-bottom:var(--s-3)}.crumbs a{color:inherit}
.head{display:flex;flex-wrap:wrap;gap:var(--s-2) var(--s-4);align-items:baseline;justify-content:space-between}
.head .copied{display:flex;gap:var(--s-3);align-items:center;min-width:0}.head h1{min-width:0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:var(--s-4);margin-top:var(--s-6);padding:var(--s-4);border:1px solid var(--line);border-radius:var(--radius)}
.facts dt{color:var(--soft);font-size:var(--t-12)}.facts dd{font-size:var(--t-14);font-weight:500}
.actions{display:flex;flex-wrap:wrap;gap:var(--s-2);margin-top:var(--s-4)}
.part{margin-top:var(--s-12)}.part h3{margin-top:var(--s-6);font-size:var(--t-14)}
.part>p,.part li{font-size:var(--t-14);color:var(--soft)}.part>ul{margin-top:var(--s-3);padding:0;list-style:none}
.part .tabs,.part>.snippets{margin-top:var(--s-4)}
@media(max-width:64rem){.filters{grid-template-columns:repeat(3,minmax(0,1fr))}.filters label:first-child{grid-column:1/-1}.filters .button{justify-content:center}}
@media(max-width:40rem){.filters{grid-template-columns:1fr 1fr}}
@media print{.prices .wide{display:none}}
`
).replaceAll('\n', '')
