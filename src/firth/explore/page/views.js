// The views of the page, in the order of the navigation. A new one is a module, and a line here.
//
// A view is { names, title, needs(parts), server, show(place, route, { model, signal }) }:
// names[0] is its place in the navigation, all names are beginnings of addresses it answers to;
// needs says whether a model with these parts has something to show; server: true means that it cannot
// be without a server; learn is the command that makes what it needs; under names the view of the navigation that it belongs to. show fills place, may be async, and may return a function to be called when the
// view goes. place gets a "shown" event once it is in the page; place.dataset.title becomes its title.

import { wordView } from "./words.js";
import { sensesView } from "./senses.js";
import { classView } from "./classes.js";
import { treeView } from "./tree.js";
import { mapView } from "./map.js";
import { tagsView } from "./tags.js";
import { tagView } from "./tag.js";
import { parseView } from "./parse.js";
import { compareView } from "./compare.js";
import { analogyView } from "./analogy.js";
import { aboutView } from "./about.js";

export const VIEWS = [wordView, sensesView, treeView, classView, mapView, tagsView, tagView, parseView, compareView, analogyView, aboutView];

