import { mount } from 'svelte';

import './app.css';
import './ui/styles/layout.css';
import App from './App.svelte';
import { guardComposition } from './ui/fields/composition';

guardComposition(window);

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app');

export default mount(App, { target });
