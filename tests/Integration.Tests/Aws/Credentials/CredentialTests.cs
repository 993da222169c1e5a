using System.Security.Cryptography;
using System.Text;
using Integration.Tests.Worker;

namespace Integration.Tests.Aws.Credentials;

/// <summary>Each source of AWS credentials gives its keys to a worker process, of either build (<c>WORKER_EXECUTABLE</c>).</summary>
public sealed class CredentialTests : IDisposable
{
    private const int Unavailable = 69;
    private const int NoPermission = 77;

    private readonly string _home = Directory.CreateTempSubdirectory("credentials-").FullName;

    private static string Sso => "sso_account_id = 123456789012\nsso_role_name = worker\n";

    public void Dispose() => Directory.Delete(_home, recursive: true);

    [Theory]
    [InlineData("environment", "ENVIRONMENT")]
    [InlineData("profile", "PROFILE")]
    [InlineData("role", "SOURCE-ASSUMED")]
    [InlineData("web-identity", "WEB-IDENTITY")]
    [InlineData("web-identity-profile", "WEB-IDENTITY")]
    [InlineData("container", "CONTAINER")]
    [InlineData("instance", "INSTANCE")]
    [InlineData("sign-in", "SIGN-IN")]
    [InlineData("sign-in-session", "SIGN-IN")]
    [InlineData("process", "PROCESS")]
    public async Task Start_EachSource_SignsWithItsKeys(string source, string accessKey)
    {
        await using CredentialServer server = await CredentialServer.StartAsync();
        WriteFiles(server);

        WorkerCommand run = (await RunAsync(server, source)).ShouldHaveNoStackTrace();

        server.SignedBy.ShouldBe([accessKey], run.Text);
        run.ExitCode.ShouldBe(Unavailable, run.Text);
    }

    [Theory]
    [InlineData("refused-role")]
    [InlineData("refused-web-identity")]
    [InlineData("expired-sign-in")]
    [InlineData("missing")]
    public async Task Start_NoKeys_IsOneLine_Exits77(string source)
    {
        await using CredentialServer server = await CredentialServer.StartAsync();
        WriteFiles(server);

        WorkerCommand run = (await RunAsync(server, source)).ShouldHaveNoStackTrace();

        server.SignedBy.ShouldBeEmpty(run.Text);
        run.ExitCode.ShouldBe(NoPermission, run.Text);
        run.Text.ShouldContain(source == "missing" ? "AWS_PROFILE: The profile \"missing\" is not in" : "Finding AWS credentials");
        run.Text.ShouldNotContain("runtime dependency");
    }

    [Fact]
    public async Task Start_ProxyOfTheEnvironment_GetsTheRequests()
    {
        await using CredentialServer server = await CredentialServer.StartAsync();

        WorkerCommand run =
            await RunAsync(server, "environment", ("HTTP_PROXY", server.Url), ("AWS_ENDPOINT_URL", "http://queue.invalid"), ("Aws__AllowPlainHttp", "true"));

        server.SignedBy.ShouldBe(["ENVIRONMENT"], run.Text);
    }

    [Fact]
    public async Task Start_ServerOnThisMachine_IsCalledWithoutTheProxy()
    {
        await using CredentialServer server = await CredentialServer.StartAsync();

        WorkerCommand run = await RunAsync(server, "environment", ("HTTP_PROXY", "http://127.0.0.1:1"));

        server.SignedBy.ShouldBe(["ENVIRONMENT"], run.Text);
    }

    [Theory]
    [InlineData("environment", Unavailable)]
    [InlineData("web-identity", NoPermission)]
    public async Task Publish_TheProxyRefuses_DoesNotShowItsPassword(string source, int exitCode)
    {
        await using CredentialServer server = await CredentialServer.StartAsync();
        WriteFiles(server);
        Dictionary<string, string> environment =
            new(EnvironmentOf(source, server).Select(variable => KeyValuePair.Create(variable.Name, variable.Value)), StringComparer.Ordinal)
            {
                ["HOME"] = _home,
                ["AWS_REGION"] = "eu-west-1",
                ["HTTPS_PROXY"] = server.Url.Replace("//", "//user:canary@", StringComparison.Ordinal),
            };

        WorkerCommand run = await WorkerCommand.RunAsync(["publish", "--to", "sqs", "--count", "1", "--Sources:Sqs:Queue=orders"], environment);

        run.Text.ShouldContain("proxy");
        run.Text.ShouldNotContain("canary");
        run.ExitCode.ShouldBe(exitCode, run.Text);
    }

    private Task<WorkerCommand> RunAsync(CredentialServer server, string source, params (string Name, string Value)[] further)
    {
        Dictionary<string, string> environment = new(StringComparer.Ordinal)
        {
            ["HOME"] = _home,
            ["AWS_REGION"] = "eu-west-1",
            ["AWS_ENDPOINT_URL"] = server.Url,
        };
        foreach ((string name, string value) in (IEnumerable<(string, string)>)[.. EnvironmentOf(source, server), .. further])
        {
            environment[name] = value;
        }

        return WorkerCommand.RunAsync([.. RunningWorker.CommonArguments, "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=none"], environment);
    }

    /// <summary>A source without variables of its own is a profile.</summary>
    private (string Name, string Value)[] EnvironmentOf(string source, CredentialServer server) => source switch
    {
        "environment" => [("AWS_ACCESS_KEY_ID", "ENVIRONMENT"), ("AWS_SECRET_ACCESS_KEY", "secret")],
        "web-identity" => WebIdentity("token"),
        "refused-web-identity" => WebIdentity("refused-token"),
        "container" =>
            [("AWS_CONTAINER_CREDENTIALS_FULL_URI", $"{server.Url}/container"), ("AWS_CONTAINER_AUTHORIZATION_TOKEN", CredentialServer.ContainerToken)],
        "instance" => [("AWS_EC2_METADATA_DISABLED", "false"), ("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.Url)],
        _ => [("AWS_PROFILE", source)],
    };

    private (string Name, string Value)[] WebIdentity(string file) =>
        [("AWS_WEB_IDENTITY_TOKEN_FILE", Path.Combine(_home, file)), ("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/worker"),
            ("AWS_ROLE_SESSION_NAME", "worker")];

    private void WriteFiles(CredentialServer server)
    {
        File.WriteAllText(Path.Combine(_home, "token"), CredentialServer.WebIdentityToken);
        File.WriteAllText(Path.Combine(_home, "refused-token"), "another");
        File.WriteAllText(Path.Combine(_home, "process.json"), """{"Version":1,"AccessKeyId":"PROCESS","SecretAccessKey":"secret"}""");
        string aws = Directory.CreateDirectory(Path.Combine(_home, ".aws")).FullName;
        const string Role = "role_arn = arn:aws:iam::123456789012:role/worker\nrole_session_name = worker\n";
        File.WriteAllText(Path.Combine(aws, "credentials"), """
            [profile]
            aws_access_key_id = PROFILE
            aws_secret_access_key = secret
            [source]
            aws_access_key_id = SOURCE
            aws_secret_access_key = secret

            """);
        File.WriteAllText(Path.Combine(aws, "config"), $$"""
            [profile role]
            {{Role}}source_profile = source
            [profile refused-role]
            {{Role}}source_profile = profile
            [profile web-identity-profile]
            {{Role}}web_identity_token_file = {{_home}}/token
            [profile sign-in]
            {{Sso}}sso_region = eu-west-1
            sso_start_url = {{server.Url}}/start
            [profile sign-in-session]
            {{Sso}}sso_session = valid
            [profile expired-sign-in]
            {{Sso}}sso_session = expired
            [sso-session valid]
            sso_region = eu-west-1
            sso_start_url = {{server.Url}}/start
            [sso-session expired]
            sso_region = eu-west-1
            sso_start_url = {{server.Url}}/start
            [profile process]
            credential_process = cat {{_home}}/process.json

            """);

        WriteSignIn(aws, $"{server.Url}/start", server, "2100-01-01T00:00:00Z");
        WriteSignIn(aws, "valid", server, "2100-01-01T00:00:00Z");
        WriteSignIn(aws, "expired", server, "2020-01-01T00:00:00Z");
    }

    /// <summary>What <c>aws sso login</c> leaves: the file is named after the session, or the address where there is none.</summary>
    private static void WriteSignIn(string aws, string name, CredentialServer server, string expiry)
    {
        string cache = Directory.CreateDirectory(Path.Combine(aws, "sso", "cache")).FullName;
#pragma warning disable CA5350 // The name that the AWS command line gives the file.
        string file = Convert.ToHexStringLower(SHA1.HashData(Encoding.UTF8.GetBytes(name)));
#pragma warning restore CA5350
        File.WriteAllText(
            Path.Combine(cache, $"{file}.json"),
            $$"""{"startUrl":"{{server.Url}}/start","region":"eu-west-1","accessToken":"{{CredentialServer.SignInToken}}","expiresAt":"{{expiry}}"}""");
    }
}
