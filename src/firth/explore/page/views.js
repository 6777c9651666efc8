// The views of the explorer, in the order of the navigation. To add one, write a module and add it here.
//
// A view is { names, title, does, part, needs(parts), server, under, show(place, route, { model, views, signal }) }:
//   names: the first parts of its routes; names[0] identifies it in the navigation.
//   does: what can be done there, for the home view.
//   part: the part of the model that it needs; needs(parts): whether it can be shown, if other parts will do as well.
//   server: true if it is not in an exported page.
//   under: the view of the navigation that it belongs to, if it is not in the navigation itself.
//   show: fills place (views: those of the navigation), may be async, and may return a function that cleans up.
// place gets a "shown" event once it is in the document; place.dataset.title becomes the title.

import { wordView } from "./words.js";
import { findView } from "./find.js";
import { listView, keynessView } from "./lists.js";
import { sensesView } from "./senses.js";
import { classView } from "./classes.js";
import { treeView } from "./tree.js";
import { mapView } from "./map.js";
import { morphsView } from "./morphs.js";
import { morphView } from "./morph.js";
import { tagsView } from "./tags.js";
import { tagView } from "./tag.js";
import { parseView } from "./parse.js";
import { surpriseView } from "./surprise.js";
import { compareView } from "./compare.js";
import { analogyView } from "./analogy.js";
import { aboutView } from "./about.js";

export const VIEWS = [wordView, findView, listView, keynessView, sensesView, treeView, classView, mapView, morphsView, morphView, tagsView, tagView, parseView, surpriseView, compareView, analogyView, aboutView];

