using System.Diagnostics.CodeAnalysis;
using Messaging.Sources;

namespace Messaging.Http.Source;

/// <summary>The HTTP routes of this process by name. A source is registered from its creation on; once it is disposed it refuses messages as stopping.</summary>
internal sealed class HttpSourceRegistry
{
    private readonly RouteTable<HttpMessageSource> _sources = new();

    /// <summary>The names of the routes, for error messages.</summary>
    public string Names => _sources.Names;

    public bool Any => _sources.Any;

    /// <summary>Finds a route's source; null means the only one, or the one of the route named <c>default</c>.</summary>
    public bool TryFind(string? route, [NotNullWhen(true)] out HttpMessageSource? source) => _sources.TryFind(route, out source);

    public void Add(string route, HttpMessageSource source) => _sources.Add(route, source);
}
