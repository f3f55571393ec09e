"""The check of links finds what is broken, and nothing else."""

import pytest

from website.links import broken_links


@pytest.mark.parametrize(
    ("link", "wrong"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="#here">', None),
        ('<a href="b.html?highlight=x">', None),
        ('<a href="https://docs.dask.org/en/stable/array.html">', None),
        ('<a href="b.html#gone">', "leads to no place"),
        ('<a href="#gone">', "leads to no place"),
        ('<a href="c.html">', "leads to no file"),
        ('<a href="../b.html">', "leaves the site"),
        ('<a href="https://nowhere">', "is no address"),
        ('<a href="mailto:prec@100">', "is an address of mail"),
        ('<img src="https://docs.dask.org/logo.png">', "is loaded from elsewhere"),
        ('<script src="//docs.dask.org/a.js"></script>', "is loaded from elsewhere"),
        ('<img src="gone.png">', "leads to no file"),
    ],
)
def test_of_each_kind(link, wrong, tmp_path):
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1>', encoding="utf-8")
    (tmp_path / "a.html").write_text(f'<h1 id="here">a</h1>{link}', encoding="utf-8")
    told = list(broken_links(tmp_path))
    assert len(told) == (wrong is not None)
    assert wrong is None or wrong in told[0]


def test_an_empty_site_is_wrong(tmp_path):
    assert list(broken_links(tmp_path))
