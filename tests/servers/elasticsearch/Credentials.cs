using System.Text;
using Microsoft.AspNetCore.Http;

namespace ElasticsearchServer;

/// <summary>Checks the credentials of a request.</summary>
internal static class Credentials
{
    /// <exception cref="ApiException">401.</exception>
    public static void Require(HttpRequest request, ServerSettings settings)
    {
        if (settings.Username is null && settings.ApiKey is null)
        {
            return;
        }

        string given = request.Headers.Authorization.ToString();
        if (given.Length == 0)
        {
            throw new ApiException(401, "security_exception", $"missing authentication credentials for REST request [{request.Path}]");
        }

        string basic = $"Basic {Convert.ToBase64String(Encoding.UTF8.GetBytes($"{settings.Username}:{settings.Password}"))}";
        if (!(settings.Username is not null && given == basic) && !(settings.ApiKey is not null && given == $"ApiKey {settings.ApiKey}"))
        {
            throw new ApiException(401, "security_exception", $"unable to authenticate with provided credentials for REST request [{request.Path}]");
        }
    }
}
