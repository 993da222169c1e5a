using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Integration.Tests.Aws.Credentials;

/// <summary>
/// Every service that gives keys, and an SQS that says by which key a request was signed: STS, IAM Identity Center, the credentials of a container, the
/// metadata of an instance. Each gives the key named after it, to a caller that proves itself as the real one demands.
/// </summary>
internal sealed partial class CredentialServer : IAsyncDisposable
{
    public const string WebIdentityToken = "web-identity-token";
    public const string SignInToken = "sign-in-token";
    public const string ContainerToken = "container-token";
    private const string MetadataToken = "metadata-token";

    private readonly WebApplication _application;
    private readonly ConcurrentQueue<string> _signedBy = new();

    private CredentialServer(WebApplication application) => _application = application;

    public string Url => _application.Urls.Single();

    /// <summary>The access keys of the requests to SQS, each once.</summary>
    public IReadOnlyCollection<string> SignedBy => [.. _signedBy.Distinct(StringComparer.Ordinal)];

    public static async Task<CredentialServer> StartAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        CredentialServer server = new(builder.Build());
        server._application.Run(server.AnswerAsync);
        await server._application.StartAsync();
        return server;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private async Task AnswerAsync(HttpContext context)
    {
        using StreamReader reader = new(context.Request.Body);
        string body = await reader.ReadToEndAsync(context.RequestAborted);
        string authorization = context.Request.Headers.Authorization.ToString();
        (int status, string answer) = context.Request.Path.Value switch
        {
            "/" when context.Request.Headers.ContainsKey("X-Amz-Target") => AnswerSqs(authorization),
            "/" => AnswerSts(body, AccessKey().Match(authorization).Groups[1].Value),
            "/federation/credentials" => Given(context.Request.Headers["x-amz-sso_bearer_token"] == SignInToken, RoleCredentials),
            "/container" => Given(authorization == ContainerToken, Keys("CONTAINER")),
            "/latest/api/token" => (200, MetadataToken),
            "/latest/meta-data/iam/security-credentials" or "/latest/meta-data/iam/security-credentials/" => Given(IsFromInstance(context), "worker"),
            "/latest/meta-data/iam/security-credentials/worker" => Given(IsFromInstance(context), Keys("INSTANCE")),
            _ => (404, ""),
        };
        context.Response.StatusCode = status;
        context.Response.ContentType = answer.StartsWith('<') ? "text/xml" : answer.StartsWith('{') ? "application/json" : "text/plain";
        if (context.Request.Path.Value == "/latest/api/token")
        {
            context.Response.Headers["X-aws-ec2-metadata-token-ttl-seconds"] = "21600";
        }

        await context.Response.WriteAsync(answer);
    }

    /// <summary>No queue exists: a worker whose keys are accepted ends with exit code 69, and not with 77.</summary>
    private (int Status, string Answer) AnswerSqs(string authorization)
    {
        _signedBy.Enqueue(AccessKey().Match(authorization).Groups[1].Value);
        return (400, """{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}""");
    }

    private static (int Status, string Answer) AnswerSts(string body, string accessKey)
    {
        Dictionary<string, string> form =
            body.Split('&').Select(pair => pair.Split('=')).ToDictionary(pair => pair[0], pair => WebUtility.UrlDecode(pair[^1]), StringComparer.Ordinal);
        return form.GetValueOrDefault("Action") switch
        {
            "AssumeRole" => Given(accessKey == "SOURCE", Assumed("AssumeRole", $"{accessKey}-ASSUMED")),
            "AssumeRoleWithWebIdentity" =>
                Given(form.GetValueOrDefault("WebIdentityToken") == WebIdentityToken, Assumed("AssumeRoleWithWebIdentity", "WEB-IDENTITY")),
            _ => (400, ""),
        };
    }

    private static (int Status, string Answer) Given(bool isAllowed, string answer) => isAllowed ? (200, answer) : (403, "");

    private static bool IsFromInstance(HttpContext context) => context.Request.Headers["X-aws-ec2-metadata-token"] == MetadataToken;

    private static string Expiry => DateTimeOffset.UtcNow.AddHours(1).ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture);

    private static string RoleCredentials =>
        $$$"""{"roleCredentials":{"accessKeyId":"SIGN-IN","secretAccessKey":"secret","sessionToken":"session","expiration":{{{DateTimeOffset.UtcNow.AddHours(1).ToUnixTimeMilliseconds()}}}}}""";

    private static string Keys(string accessKey) =>
        $$"""{"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"{{accessKey}}","SecretAccessKey":"secret","Token":"session","Expiration":"{{Expiry}}","LastUpdated":"2026-01-31T10:00:00Z"}""";

    private static string Assumed(string action, string accessKey) =>
        $"""
        <{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>
        <Credentials><AccessKeyId>{accessKey}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken><Expiration>{Expiry}</Expiration></Credentials>
        <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/worker/session</Arn><AssumedRoleId>A:session</AssumedRoleId></AssumedRoleUser>
        </{action}Result></{action}Response>
        """;

    [GeneratedRegex("Credential=([^/]+)/")]
    private static partial Regex AccessKey();
}
