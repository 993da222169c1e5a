using System.Collections.Concurrent;
using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws;

public sealed class AwsCredentialSourceTests
{
    private readonly ManualTimeProvider _time = new(DateTimeOffset.UnixEpoch);
    private int _asked;

    [Fact]
    public async Task GetAsync_Within30Seconds_AsksOnce()
    {
        using AwsCredentialSource source = Counting();

        SigningCredentials first = await source.GetAsync(CancellationToken.None);
        _time.Advance(TimeSpan.FromSeconds(29));
        ValueTask<SigningCredentials> second = source.GetAsync(CancellationToken.None);

        second.IsCompletedSuccessfully.ShouldBeTrue();
        (await second).ShouldBeSameAs(first);
        _asked.ShouldBe(1);
        _time.Advance(TimeSpan.FromSeconds(1));
        (await source.GetAsync(CancellationToken.None)).SessionToken.ShouldBe("token-2");
    }

    [Fact]
    public async Task GetAsync_SameKeysAgain_KeepsTheObject()
    {
        using AwsCredentialSource source = AwsCredentialSource.Create(new AwsOptions { AccessKeyId = "AKID", SecretAccessKey = "secret" }, _time);

        SigningCredentials first = await source.GetAsync(CancellationToken.None);
        _time.Advance(TimeSpan.FromMinutes(1));

        (await source.GetAsync(CancellationToken.None)).ShouldBeSameAs(first);
        first.SessionToken.ShouldBeNull();
    }

    [Fact]
    public async Task GetAsync_ManyConcurrently_AskOnce()
    {
        using AwsCredentialSource source = Counting(delay: true);

        SigningCredentials[] all = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => source.GetAsync(CancellationToken.None).AsTask()));

        _asked.ShouldBe(1);
        all.Distinct().Count().ShouldBe(1);
    }

    [Fact]
    public async Task RefreshAsync_ManyReportTheSameKeys_AskOnce()
    {
        using AwsCredentialSource source = Counting(delay: true);
        SigningCredentials expired = await source.GetAsync(CancellationToken.None);

        bool[] changed = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => source.RefreshAsync(expired, CancellationToken.None).AsTask()));

        changed.ShouldAllBe(c => c);
        _asked.ShouldBe(2);
    }

    [Fact]
    public async Task RefreshAsync_FixedKeys_SaysThatNothingChanged()
    {
        using AwsCredentialSource source =
            AwsCredentialSource.Create(new AwsOptions { AccessKeyId = "AKID", SecretAccessKey = "secret", SessionToken = "token" }, _time);
        SigningCredentials expired = await source.GetAsync(CancellationToken.None);

        (await source.RefreshAsync(expired, CancellationToken.None)).ShouldBeFalse();
    }

    [Fact]
    public async Task RefreshAsync_SelfRefreshingCredentials_AreForced()
    {
        Renewing renewing = new();
        using AwsCredentialSource source = new(() => Task.FromResult<AWSCredentials>(renewing), _time);
        SigningCredentials expired = await source.GetAsync(CancellationToken.None);

        (await source.RefreshAsync(expired, CancellationToken.None)).ShouldBeTrue();

        (await source.GetAsync(CancellationToken.None)).SessionToken.ShouldBe("token-2");
    }

    [Fact]
    public async Task GetAsync_SelfRefreshingCredentials_AreResolvedOnceAndAskedAgain()
    {
        ConcurrentQueue<Renewing> resolved = [];
        using AwsCredentialSource source = Resolving(resolved);
        SigningCredentials first = await source.GetAsync(CancellationToken.None);

        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).ShouldBeSameAs(first);

        // As when they expire.
        resolved.First().ClearCredentials();
        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).SessionToken.ShouldBe("a-2");
        resolved.ShouldHaveSingleItem();
    }

    [Fact]
    public async Task GetAsync_SelfRefreshingCredentialsFail_AreResolvedAnew()
    {
        ConcurrentQueue<Renewing> resolved = [];
        using AwsCredentialSource source = Resolving(resolved);
        await source.GetAsync(CancellationToken.None);

        resolved.First().Break();
        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).SessionToken.ShouldBe("a-1");
        resolved.ShouldHaveSingleItem();

        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).SessionToken.ShouldBe("b-1");
    }

    [Fact]
    public async Task GetAsync_ProfileWithACredentialProcess_RunsItOnce()
    {
        using TemporaryFolder folder = new();
        await File.WriteAllTextAsync(folder["keys"], """{"Version":1,"AccessKeyId":"AKID","SecretAccessKey":"secret"}""");
        await File.WriteAllTextAsync(folder["print"], $"echo run >> {folder["runs"]}\ncat {folder["keys"]}\n");
        await File.WriteAllTextAsync(folder["credentials"], $"[archive]\ncredential_process = sh {folder["print"]}\n");
        CredentialProfileStoreChain profiles = new(folder["credentials"]);
        using AwsCredentialSource source = new(
            () => Task.FromResult(profiles.TryGetAWSCredentials("archive", out AWSCredentials found) ? found : throw new AmazonClientException("no profile")),
            _time);

        (await source.GetAsync(CancellationToken.None)).AccessKeyId.ShouldBe("AKID");
        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).AccessKeyId.ShouldBe("AKID");

        (await File.ReadAllLinesAsync(folder["runs"])).ShouldHaveSingleItem();
    }

    [Fact]
    public async Task GetAsync_LaterAskFails_KeepsTheKeysForAnother30Seconds()
    {
        using AwsCredentialSource source = Failing(ask => ask > 1);
        SigningCredentials first = await source.GetAsync(CancellationToken.None);

        _time.Advance(TimeSpan.FromSeconds(31));
        (await source.GetAsync(CancellationToken.None)).ShouldBeSameAs(first);
        (await source.GetAsync(CancellationToken.None)).ShouldBeSameAs(first);

        _asked.ShouldBe(2, "Not for each request.");
    }

    [Fact]
    public async Task GetAsync_RejectedKeysCouldNotBeReplaced_ThrowsTheReason()
    {
        using AwsCredentialSource source = Failing(ask => ask > 1);
        SigningCredentials rejected = await source.GetAsync(CancellationToken.None);
        await Should.ThrowAsync<AwsServiceException>(async () => await source.RefreshAsync(rejected, CancellationToken.None));

        (await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None))).Message.ShouldContain("metadata is away");
    }

    [Fact]
    public async Task GetAsync_AfterAFailure_AsksAgain()
    {
        using AwsCredentialSource source = Failing(ask => ask == 1);

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None));

        error.Kind.ShouldBe(AwsErrorKind.Refused);
        error.Message.ShouldContain("metadata is away");
        (await source.GetAsync(CancellationToken.None)).AccessKeyId.ShouldBe("AKID");
    }

    [Fact]
    public async Task GetAsync_CredentialProcessFails_DoesNotShowItsOutput()
    {
        using AwsCredentialSource source = new(() => throw new ProcessAWSCredentialException("printed: canary-secret"), _time);

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None));

        error.ToString().ShouldNotContain("canary");
    }

    [Fact]
    public async Task GetAsync_LineOfAFileThatCannotBeRead_IsNotShown()
    {
        using AwsCredentialSource source = new(() => throw new InvalidDataException("Line 2:<aws_secret_access_key canary> in file"), _time);

        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None));

        error.ToString().ShouldNotContain("canary");
    }

    [Fact]
    public async Task GetAsync_UnknownProfile_NamesIt()
    {
        using AwsCredentialSource source = AwsCredentialSource.Create(new AwsOptions { Profile = "no-such-profile-anywhere" }, _time);

        (await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None))).Message.ShouldContain(
            "no-such-profile-anywhere");
    }

    [Theory]
    [InlineData("\n")]
    [InlineData("\r\n")]
    [InlineData(" ")]
    public async Task GetAsync_KeysWithALineEnd_AreTrimmed(string end)
    {
        using AwsCredentialSource source =
            new(() => Task.FromResult<AWSCredentials>(new SessionAWSCredentials($"AKID{end}", $"secret{end}", $"{end}token{end}")), _time);

        SigningCredentials keys = await source.GetAsync(CancellationToken.None);

        (keys.AccessKeyId, keys.SecretAccessKey, keys.SessionToken).ShouldBe(("AKID", "secret", "token"));
    }

    [Theory]
    [InlineData("AKID\r\nX-Evil: 1", "secret", "token", "aws_access_key_id")]
    [InlineData("AKID", "Evil\ncret", "token", "aws_secret_access_key")]
    [InlineData("AKID", "secret", "Evil ken", "aws_session_token")]
    [InlineData("AKID", "secret", "Evilkén", "aws_session_token")]
    public async Task GetAsync_WhatNoKeyCanBe_IsRefusedByItsNameWithoutShowingIt(string id, string secret, string token, string name)
    {
        using AwsCredentialSource source = new(() => Task.FromResult<AWSCredentials>(new SessionAWSCredentials(id, secret, token)), _time);

        AwsServiceException refused = await Should.ThrowAsync<AwsServiceException>(async () => await source.GetAsync(CancellationToken.None));

        refused.Kind.ShouldBe(AwsErrorKind.Refused);
        refused.Message.ShouldContain($"{name} of the profile, role or program contains a blank, a line break");
        refused.ToString().ShouldNotContain("Evil");
    }

    [Theory]
    [InlineData("AWS_SECRET_ACCESS_KEY", "se\ncret\n", "AWS_SECRET_ACCESS_KEY")]
    [InlineData("AWS_SECRET_ACCESS_KEY", "other", "aws_secret_access_key of the profile, role or program")]
    public void PlaceOf_Key_IsVariableOrNameInTheFiles(string variable, string value, string expected) =>
        AwsCredentialSource.PlaceOf("se\ncret", variable, name => name == variable ? value : null).ShouldBe(expected);

    [Fact]
    public async Task GetAsync_Cancelled_DoesNotWaitForTheChain()
    {
        using AwsCredentialSource source = new(() => new TaskCompletionSource<AWSCredentials>().Task, _time);
        using CancellationTokenSource stop = new();
        ValueTask<SigningCredentials> call = source.GetAsync(stop.Token);

        await stop.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(async () => await call);
    }

    [Fact]
    public void ToString_OfCredentials_ShowsNothing()
    {
        new SigningCredentials("canary-id", "canary-secret", "canary-token").ToString().ShouldNotContain("canary");
    }

    private AwsCredentialSource Counting(bool delay = false) => new(
        async () =>
        {
            int number = Interlocked.Increment(ref _asked);
            if (delay)
            {
                await Task.Delay(20);
            }

            return new SessionAWSCredentials("AKID", "secret", $"token-{number}");
        },
        _time);

    private AwsCredentialSource Failing(Predicate<int> fails) => new(
        () => fails(Interlocked.Increment(ref _asked))
            ? throw new AmazonClientException("metadata is away")
            : Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKID", "secret")),
        _time);

    /// <summary>Resolves to a new object each time, as a profile does; their tokens begin with a, b and so on.</summary>
    private AwsCredentialSource Resolving(ConcurrentQueue<Renewing> resolved) => new(
        () =>
        {
            Renewing credentials = new($"{(char)('a' + resolved.Count)}");
            resolved.Enqueue(credentials);
            return Task.FromResult<AWSCredentials>(credentials);
        },
        _time);

    private sealed class Renewing(string name = "token") : RefreshingAWSCredentials
    {
        private int _made;
        private bool _broken;

        /// <summary>The next answer and all later ones fail.</summary>
        public void Break()
        {
            _broken = true;
            ClearCredentials();
        }

        protected override CredentialsRefreshState GenerateNewCredentials() => _broken
            ? throw new AmazonClientException("metadata is away")
            : new CredentialsRefreshState(new ImmutableCredentials("AKID", "secret", $"{name}-{++_made}"), DateTime.MaxValue);
    }
}
