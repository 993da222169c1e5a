using Worker.Sources;

namespace Worker.Routes;

/// <summary>One source of a route as configured and checked.</summary>
internal sealed record SourcePlan(string Name, Func<SourceServices, IMessageSource> Create);
