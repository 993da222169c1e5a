namespace Benchmarks.Seeds;

/// <summary>A talk or an article that figures were published in.</summary>
/// <param name="Name">What tables refer to it by.</param>
/// <param name="Title">Its title.</param>
/// <param name="Author">Who gave or wrote it.</param>
/// <param name="Machine">Where its figures are from, as far as it says.</param>
internal sealed record SeedSource(string Name, string Title, string Author, string Machine);
