using System.Net;

namespace Quayside.Messaging.Objects;

/// <summary>The proxy that the environment names, by an address without its password, since exceptions show the address. Threads: any.</summary>
internal sealed class EnvironmentProxy : IWebProxy
{
    private static readonly Uri Aws = new("https://amazonaws.com");

    /// <summary>Those of the proxy's address; the runtime finds them without regard to the password in it.</summary>
    public ICredentials? Credentials
    {
        get => HttpClient.DefaultProxy.Credentials;
        set => throw new NotSupportedException();
    }

    public Uri? GetProxy(Uri destination)
    {
        Uri? proxy = HttpClient.DefaultProxy.GetProxy(destination);
        return proxy is { UserInfo.Length: > 0 } ? new UriBuilder(proxy) { UserName = null, Password = null }.Uri : proxy;
    }

    public bool IsBypassed(Uri host) => HttpClient.DefaultProxy.IsBypassed(host);

    /// <summary>True when an exception of AWSSDK, which takes the proxy's address as it is, shows its password.</summary>
    public static bool IsPasswordIn(Exception exception) =>
        HttpClient.DefaultProxy.GetProxy(Aws)?.UserInfo is { Length: > 0 } secret && exception.ToString().Contains(secret, StringComparison.Ordinal);
}
