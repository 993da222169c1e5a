namespace Benchmarks.Walk;

/// <summary>A place in the product's code that is counted.</summary>
/// <param name="Type">The type in whose file it is written, with namespace and without arity: nested types, state machines and closures belong to the type around them.</param>
/// <param name="Method">The method as written.</param>
/// <param name="Kind">What is counted.</param>
internal sealed record CountedSite(string Type, string Method, SiteKind Kind);
